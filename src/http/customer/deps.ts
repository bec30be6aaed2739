import type { TaskId } from '../../domain/id.js';
import type { Region } from '../../domain/phone/phone.js';
import type { MoveName } from '../../domain/task/task-moves.js';
import type { Tenant } from '../../domain/tenant.js';
import type { Acceptor } from '../../pipeline/accept/accept.js';
import type { Alongside, MoveResult } from '../../pipeline/task-moves/moves.js';
import type { Sealer } from '../../store/secrets/seal.js';
import type { SnapshotSource } from '../../store/snapshot/source.js';
import type { Sql } from '../../store/sql.js';
import type { AuthenticateSession } from '../auth/session-auth.js';
import type { ExportGate } from '../limits/export-gate.js';
import type { RateLimiter } from '../limits/rate-limit.js';
import type { RequestFairness } from '../limits/request-fairness.js';
import type { UserDeps } from '../resources/user-actions.js';
import type { WebhookDeps } from '../resources/webhook-actions.js';
import type { FindViewer } from '../view-grant.js';

/** Re-exported for the operator API. */
export type { Alongside, MoveName, MoveResult };

interface CredentialDeps {
  readonly sealer: Sealer;
  readonly randomBytes: (count: number) => Buffer;
  /** After a change: this node uses it at once, others within two seconds. */
  readonly refreshSnapshot: () => Promise<void>;
}

interface TemplateDeps {
  readonly nextId: () => bigint;
  /** After a change: this node uses it at once, others within two seconds. */
  readonly refreshSnapshot: () => Promise<void>;
}

export interface CustomerDeps {
  readonly sql: Sql;
  /** For queries that a person waits for; see store/readers.ts. */
  readonly readers: Sql;
  readonly snapshot: Pick<SnapshotSource, 'current' | 'refreshIfStale'>;
  readonly acceptor: Pick<Acceptor, 'accept' | 'findReplay'>;
  /** `alongside` is written in the transaction of a successful move. */
  readonly move: (name: MoveName, tenant: Tenant, taskId: TaskId, alongside?: Alongside) => Promise<MoveResult>;
  /** The same for many tasks of one customer, many of them in one transaction. */
  readonly moveAll: (
    name: MoveName,
    tenant: Tenant,
    taskIds: readonly TaskId[],
  ) => Promise<ReadonlyMap<TaskId, MoveResult>>;
  /** Finds an operator with read-only access to a customer's data. */
  readonly findViewer: FindViewer;
  readonly authenticateSession: AuthenticateSession;
  readonly credentials: CredentialDeps;
  readonly templates: TemplateDeps;
  readonly users: UserDeps;
  readonly noteKeyUsed: (apiKey: string) => void;
  readonly webhooks: WebhookDeps;
  readonly reschedule: (tenant: Tenant, taskId: TaskId, sendAt: Date) => Promise<MoveResult>;
  readonly limiter: RateLimiter;
  readonly exportGate: ExportGate;
  readonly fairness: RequestFairness;
  /** How many processes of this machine accept requests. */
  readonly processes: number;
  /** Name and address of the platform, at the head of statements. */
  readonly issuer: string | undefined;
  /** For phone numbers without a country code in filters. */
  readonly defaultRegion: Region;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
}
