import { test } from 'vitest';
import { isOnCluster } from '../cluster.js';

/** For what only one PostgreSQL does, or lets a test do to it: skipped on a cluster, by a name that says why. */
export function testOnOnePostgres(reason: string): (name: string, run: () => Promise<void>) => void {
  return (name, run) => test.skipIf(isOnCluster)(isOnCluster ? `${name} (not on a cluster: ${reason})` : name, run);
}
