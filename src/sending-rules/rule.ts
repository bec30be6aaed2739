// What a sending rule is. Preparing, the preview, the explanation of a route, the handover and the settlement ask the rules of
// `rules.ts` and name none of them. A rule that a customer has not switched on has no check, so it costs nothing per number.

import type { Chunk } from '../domain/chunk/chunk.js';
import type { ChannelConfig } from '../domain/entities/channel.js';
import type { CustomerConfig } from '../domain/entities/customer.js';
import type { Settlement } from '../domain/outcome/settlement.js';
import type { NormalisedPayload } from '../domain/plan/normalise-payload.js';
import type { CheckNumber, Plan, Rejection } from '../domain/plan/plan.js';
import type { MaybeNewTask, Task } from '../domain/task/task.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import type { AnySql, Statement } from '../store/sql.js';

/** A task with its parsed numbers. It may be a preview, which is not stored. */
export interface RuledTask {
  readonly task: Pick<Task, 'customerId' | 'templateId' | 'serviceAccountId'> & { readonly sendAt?: Date | null };
  readonly numbers: NormalisedPayload;
}

export interface Planned {
  readonly task: MaybeNewTask;
  /** Undefined if the task cannot continue. */
  readonly plan: Plan | undefined;
}

export interface RuleContext {
  /** Within a transaction that locked the accounts, if a rule counts. */
  readonly sql: AnySql;
  readonly bucket: number;
  readonly snapshot: () => Snapshot;
  readonly now: Date;
}

/** Undefined: nothing of the task can break the rule. */
export type CheckTask = (ruled: RuledTask) => CheckNumber | undefined;

export interface Rule {
  /** Of the receipts of the numbers that it rejects. */
  readonly code: Rejection;
  /** It is about the number alone: a rejected number is not routed. The others are asked after the route and the length. */
  readonly isBeforeRouting?: boolean;
  /** A number that it rejects at the handover may go over another channel. */
  readonly isOfChannel?: boolean;
  /** Whether it counts the messages of a customer. */
  counts?(customer: CustomerConfig): boolean;
  /** Reads what the checks of these tasks need. Undefined if the rule is on for none of them. */
  load?(context: RuleContext, tasks: readonly RuledTask[]): Promise<CheckTask | undefined> | CheckTask | undefined;
  /** Checks the numbers of a chunk when they are handed over, for what changed since that time. Undefined: nothing did. */
  recheck?(chunk: Chunk, channel: ChannelConfig | undefined, snapshot: Snapshot, since: Date): CheckNumber | undefined;
  /** Writes down what these plans used up or broke. */
  recordPlans?(context: RuleContext, planned: readonly Planned[]): Statement | false;
  /** Writes down what the numbers that ended used up or broke. */
  recordEnds?(tx: AnySql, bucket: number, settlement: Settlement): Statement | false;
}
