/** In the order in which a task passes them; the last three are ends. */
export const STAGES = [
  'queued',
  'prepared',
  'submitting',
  'waiting_receipt',
  'submit_unknown',
  'completed',
  'failed',
  'cancelled',
] as const;

export type Stage = (typeof STAGES)[number];
