import type { LineLog } from '../../src/line-log.js';

/** A log that nobody reads. */
export const quiet: LineLog = { info: () => {}, warn: () => {} };
