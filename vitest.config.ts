import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';
import { ONE_POSTGRES_FILES } from './test/support/postgres/one-postgres-files.js';

const isOnCluster = (process.env.POSTRIDER_TEST_CITUS ?? '') !== '';

const inCheckout = (path: string) => fileURLToPath(new URL(path, import.meta.url));

export default defineConfig({
  resolve: {
    alias: {
      '@postrider/client': inCheckout('packages/client/src/index.ts'),
      '#src': inCheckout('src'),
      '#tools': inCheckout('tools'),
    },
  },
  test: {
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(isOnCluster ? Object.keys(ONE_POSTGRES_FILES) : [])],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    // Tests wait for sockets, timers and the disk: two leave a third of two processors idle.
    maxWorkers: Math.max(3, availableParallelism()),
    // Only against a test that hangs: a busy machine takes several times as long.
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
