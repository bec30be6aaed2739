import type { Stage } from '@postrider/client';

/** In the order in which a task passes them; the last three are ends. */
export const STAGES: readonly Stage[] = [
  'queued',
  'prepared',
  'submitting',
  'waiting_receipt',
  'submit_unknown',
  'completed',
  'failed',
  'cancelled',
];
