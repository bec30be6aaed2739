import type { Listing, PostriderClient, TaskAmounts, TaskCounts, Timestamp } from '@postrider/client';

/** Sums over the tasks that were sent under one `batch_id`, exact whenever one looks. */
export interface Batch {
  readonly batch_id: string;
  readonly tasks: number;
  readonly stages: Readonly<Record<string, number>>;
  readonly counts: TaskCounts;
  readonly amounts: TaskAmounts;
  readonly created_at: Timestamp;
  readonly updated_at: Timestamp;
  readonly completed_at: Timestamp | null;
}

export type BatchMove = 'prepare' | 'freeze' | 'submit' | 'cancel' | 'pause' | 'resume';

const PATH = '/openapi/v1/messages/batches/';

export function listBatches(
  client: PostriderClient,
  pageSize: number,
  signal: AbortSignal,
): Pick<Listing<Batch>, 'page'> {
  return {
    page: (position = {}) =>
      client.request({ method: 'GET', path: PATH, query: { page_size: pageSize, ...position }, signal }),
  };
}

export function readBatch(client: PostriderClient, batchId: string, signal: AbortSignal): Promise<Batch> {
  return client.request({ method: 'GET', path: `${PATH}${encodeURIComponent(batchId)}/`, signal });
}

export function moveBatch(
  client: PostriderClient,
  batchId: string,
  move: BatchMove,
): Promise<Batch & { readonly applied: number }> {
  return client.request({ method: 'POST', path: `${PATH}${encodeURIComponent(batchId)}/${move}/` });
}
