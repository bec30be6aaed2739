import type { CustomerId, TaskId } from '../../domain/id.js';
import type { Region } from '../../domain/phone.js';
import type { Stage } from '../../domain/stages.js';
import type { Acceptor } from '../../pipeline/accept.js';
import type { Sql } from '../../store/connect.js';
import type { SnapshotSource } from '../../store/snapshot.js';

export type MoveName = 'prepare' | 'freeze' | 'submit' | 'cancel';

export type MoveResult =
  | { readonly kind: 'ok' }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'invalid_stage'; readonly stage: Stage; readonly detail: string }
  | { readonly kind: 'insufficient_funds'; readonly detail: string };

export interface CustomerDeps {
  readonly sql: Sql;
  readonly snapshot: Pick<SnapshotSource, 'current' | 'refreshIfStale'>;
  readonly acceptor: Pick<Acceptor, 'accept' | 'findReplay'>;
  readonly move: (name: MoveName, customerId: CustomerId, taskId: TaskId) => Promise<MoveResult>;
  /** Of phones in filters that have no country code. */
  readonly defaultRegion: Region;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
}
