import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, type UserWorkspaceConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { ONE_POSTGRES_FILES } from './test/support/postgres/one-postgres-files.js';

const isOnCluster = (process.env.POSTRIDER_TEST_CITUS ?? '') !== '';

const inCheckout = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const TESTS = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'];
/** What takes minutes, and what needs a process for itself: both say so in their names. */
const LONG = ['**/*.long.test.ts'];
const LONG_PAGES = ['test/console/**/*.long.test.ts'];
const OWN_PROCESS = ['**/*.own-process.test.ts'];

const exclude = [...configDefaults.exclude, ...(isOnCluster ? Object.keys(ONE_POSTGRES_FILES) : [])];

/** What takes longest starts first, so that nothing else has ended long before it. The others follow by their size. */
const LONGEST = [
  'test/faults/campaign.long.test.ts',
  'test/bench/smoke.long.test.ts',
  'test/simulator/planted.long.test.ts',
  'test/console/appearance.long.test.ts',
  'test/docs/code-blocks.long.test.ts',
  'test/docs/browser.long.test.ts',
  'test/console/customer.test.ts',
  'test/console/operator.test.ts',
  'test/http/event-loop.test.ts',
];

/** Vitest takes the next file with the same worker only where it is of the same project, so those of one project stay together. */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const placeOf = ({ moduleId }: TestSpecification) => {
      const place = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return place === -1 ? LONGEST.length : place;
    };
    return sorted.toSorted(
      (one, other) => one.project.name.localeCompare(other.project.name) || placeOf(one) - placeOf(other),
    );
  }
}

function describeProject(name: string, isolate: boolean, files: { include: string[]; exclude: string[] }) {
  return {
    resolve: {
      alias: {
        '@postrider/client': inCheckout('packages/client/src/index.ts'),
        '#src': inCheckout('src'),
        '#tools': inCheckout('tools'),
      },
    },
    test: {
      name,
      ...files,
      isolate,
      pool: 'forks',
      setupFiles: ['test/support/measure-file.ts'],
      // Only against a test that hangs: a busy machine takes several times as long.
      testTimeout: 120_000,
      hookTimeout: 180_000,
      expect: { poll: { timeout: 60_000 } },
    },
  } satisfies UserWorkspaceConfig;
}

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { sequencer: ByProject },
    // Tests wait for sockets, timers and the disk: three leave a quarter of two processors idle.
    maxWorkers: Math.max(4, availableParallelism()),
    projects: [
      // Left out by `--project=!long*`: vitest does not pass `--exclude` on to projects.
      describeProject('long', true, { include: LONG, exclude: [...exclude, ...LONG_PAGES] }),
      // They change nothing of their process, and loading the service and the browser takes as long as what many of them test.
      describeProject('long pages', isOnCluster, { include: LONG_PAGES, exclude }),
      describeProject('own process', true, { include: OWN_PROCESS, exclude }),
      // One after the other in a few processes, which load the service once instead of for each file. On a cluster each has its
      // own: loading the service takes little beside the rest there.
      describeProject('shared process', isOnCluster, {
        include: TESTS,
        exclude: [...exclude, ...LONG, ...OWN_PROCESS],
      }),
    ],
  },
});
