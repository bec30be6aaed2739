import type { Snapshot } from '../../store/snapshot/snapshot.js';
import type { Config } from '../config.js';
import type { Log } from '../log.js';
import { version } from '../version.js';
import { connectCollector, type ImportPackage } from './open-telemetry.js';
import { traceTasks } from './trace-tasks.js';

/** Undefined, and nothing is loaded, without a collector. */
export async function startTracing(options: {
  readonly config: Pick<Config, 'otlpEndpoint' | 'traceRatio'>;
  /** Names this process. */
  readonly node: string;
  readonly log: Log;
  readonly snapshot: () => Snapshot;
  readonly importPackage?: ImportPackage;
}): Promise<ReturnType<typeof traceTasks> | undefined> {
  const { config, snapshot, ...rest } = options;
  if (config.otlpEndpoint === undefined) return undefined;
  const sink = await connectCollector({ ...rest, endpoint: config.otlpEndpoint, version });
  return sink && traceTasks({ sink, snapshot, now: Date.now, ratio: config.traceRatio });
}
