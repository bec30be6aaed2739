// Fields that a service may not have yet. They are read as optional, so that the console works beside an older one.

import type { Task, TaskDetail, Timestamp } from '@postrider/client';

interface LaterTaskFields {
  readonly batch_id?: string | null;
  readonly send_at?: Timestamp | null;
  readonly expires_at?: Timestamp | null;
  /** Null when nothing holds it up; undefined when the service does not say. */
  readonly waits_for?: string | null;
}

export type ShownTaskDetail = TaskDetail & LaterTaskFields;

/** What freezing the task takes, once it is priced; undefined when the service does not say. */
export function priceOf(task: Task): string | undefined {
  const { price } = task.amounts as { readonly price?: string | null };
  return price ?? undefined;
}
