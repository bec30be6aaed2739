import type { LineLog } from '../../src/domain/log.js';

/** A log without a reader. */
export const quiet: LineLog = { info: () => {}, warn: () => {} };
