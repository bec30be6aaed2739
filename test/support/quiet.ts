import type { LineLog } from '../../src/domain/log.js';

/** A log that nobody reads. */
export const quiet: LineLog = { info: () => {}, warn: () => {} };
