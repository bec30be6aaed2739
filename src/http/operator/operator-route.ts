// What the operations of the operator API share: their dependencies, and how a path, a list and a customer are read.

import { type TSchema, Type } from '@sinclair/typebox';
import type { Permission } from '../../domain/access/permissions.js';
import type { ChannelKindDescription, ChannelTraits, ConfigObject } from '../../domain/entities/channel.js';
import type { Customer } from '../../domain/entities/customer.js';
import type { Fault } from '../../domain/fault/fault.js';
import type { TaskId } from '../../domain/id.js';
import type { Region } from '../../domain/phone/phone.js';
import type { MessageClass } from '../../domain/rules/message-class.js';
import type { Tenant } from '../../domain/tenant.js';
import { isStorableText } from '../../domain/text.js';
import type { Marked, UnderWay } from '../../pipeline/recover.js';
import { type ListSource, readList } from '../../store/list.js';
import type { ActorContext } from '../../store/operator/change.js';
import type { SplitConfig } from '../../store/operator/channel.js';
import { readCustomer } from '../../store/operator/customer.js';
import type { Sealer } from '../../store/secrets/seal.js';
import type { SnapshotSource } from '../../store/snapshot/source.js';
import type { Sql } from '../../store/sql.js';
import type { AuthenticateSession } from '../auth/session-auth.js';
import type { Alongside, CustomerDeps, MoveResult } from '../customer/deps.js';
import type { GuessGuard } from '../limits/guess-guard.js';
import type { Identity } from '../operator-identity.js';
import { notFound } from '../problem/problem.js';
import {
  type FilterSchemas,
  type ListDefinition,
  type ListQuery,
  listOf,
  parseListQuery,
  rejectParameters,
  renderList,
} from '../query/list-query.js';
import type { UserDeps } from '../resources/user-actions.js';
import type { WebhookDeps } from '../resources/webhook-actions.js';
import type { Call, Operation, Route } from '../route.js';

export interface OperatorDeps {
  readonly sql: Sql;
  /** For what people wait for; see store/readers.ts. */
  readonly readers: Sql;
  readonly snapshot: Pick<SnapshotSource, 'current' | 'refresh' | 'refreshIfStale'>;
  readonly sealer: Sealer;
  readonly authenticateSession: AuthenticateSession;
  readonly rootTokens: readonly string[];
  readonly defaultRegion: Region;
  /** Makes the ids behind customer_no, channel_no, service_account_no and template_no. */
  readonly nextId: () => bigint;
  readonly randomBytes: (count: number) => Buffer;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
  /** How long history is kept; null: forever. */
  readonly retentionMs: number | null;
  readonly publicOrigin?: UserDeps['publicOrigin'];
  readonly sendUserMail?: UserDeps['sendUserMail'];
  readonly channelKinds: ChannelKinds;
  /** After the commit of a test message: the owner of its channel need not be slept over. */
  readonly onChannelTest: () => void;
  readonly move: CustomerDeps['move'];
  /** As with a move, what is given with it is written in its transaction. */
  readonly resolve: (
    tenant: Tenant,
    taskId: TaskId,
    resolution: Resolution,
    alongside: Alongside,
  ) => Promise<MoveResult>;
  /** After the commit of a credit, or of a higher limit: tasks that wait for money may go on. */
  readonly onCredited: () => void;
  /** After the commit of another class of a template: what is queued of its tasks moves to the queues of that class. */
  readonly requeueTemplate: (tenant: Tenant, templateId: bigint, messageClass: MessageClass) => Promise<void>;
  /** After the commit of a grant or its end: what is queued on channels that the customer may not use moves. */
  readonly leaveChannels: (tenant: Tenant) => Promise<void>;
  /** What may have been sent when the database lost commits. */
  readonly recovery: RecoveryDeps;
  readonly guessGuard: GuessGuard;
  readonly webhooks: WebhookDeps;
}

/** Of tasks that were accepted before a moment. */
export interface RecoveryDeps {
  readonly readUnderWay: (acceptedBefore: Date) => Promise<UnderWay[]>;
  readonly markUnsentUnknown: (acceptedBefore: Date) => Promise<Marked>;
}

/** The kinds of channels there are; their drivers define them. */
export interface ChannelKinds {
  readonly list: readonly ChannelKindDescription[];
  /** Undefined for a kind that does not exist. */
  readonly traitsOf: (kind: string) => ChannelTraits | undefined;
  readonly hasCallbacks: (kind: string) => boolean;
  /** What only one active channel of the kind may have, by its stored configuration; undefined if nothing. */
  readonly exclusiveClaimOf: (
    kind: string,
    config: ConfigObject,
  ) => { readonly field: string; readonly value: string } | undefined;
  /** Fills in defaults and splits the secret fields from the others; pointers of faults lead into the configuration. */
  readonly checkConfig: CheckChannelConfig;
}

/** The kind must exist. */
export type CheckChannelConfig = (
  kind: string,
  config: ConfigObject,
) => SplitConfig | { readonly faults: readonly Fault[] };

export interface Resolution {
  readonly outcome: 'accepted' | 'not_accepted';
  /** All unknown numbers when left out. */
  readonly seqs?: readonly number[];
  readonly remark?: string;
}

/** What every handler gets: the call, and who makes it. */
export type OperatorCall = Call & Identity;

export type OperatorRoute = Route<OperatorCall>;

const PREFIX = '/operator/v1';

type Described = Omit<Operation, 'path' | 'params' | 'list' | 'problems' | 'permission'> & {
  /** Below the prefix: `/firms/{firm}`. */
  readonly path: string;
  readonly problems?: Operation['problems'];
};

/** An operation without query parameters. */
export function defineOperation(
  operation: Described & {
    readonly permission: Permission;
    readonly handle: (call: OperatorCall) => Promise<unknown>;
  },
): OperatorRoute {
  return {
    ...operation,
    ...describePath(operation.path),
    problems: operation.problems ?? [],
    handle: async (call) => {
      rejectParameters(call.requestTarget);
      return operation.handle(call);
    },
  };
}

/**
 * A change of the configuration, by who may configure unless it says otherwise. Undefined: what the path names does not exist. This node
 * sees the change before the operator is answered.
 */
export function defineChange<Row>(
  deps: OperatorDeps,
  operation: Described & {
    readonly permission?: Permission;
    readonly change: (call: OperatorCall, context: ActorContext) => Promise<Row | undefined>;
    /** The answer, if it is not what the change returns. */
    readonly render?: (row: Row, call: OperatorCall) => unknown;
  },
): OperatorRoute {
  const { change, render = (row) => row, permission = 'configure', ...described } = operation;
  return defineOperation({
    ...described,
    permission,
    handle: async (call) => {
      const changed = await change(call, actorContextFor(deps, call));
      if (changed === undefined) throw notFound();
      await refreshConfiguration(deps);
      return render(changed, call);
    },
  });
}

/** A list in the contract's envelope. */
export function defineList<Filters extends FilterSchemas, Row, Needed extends keyof Filters & string = never>(
  operation: Omit<Described, 'method' | 'body' | 'answer'> & {
    readonly list: ListDefinition<Filters, Needed>;
    /** One item of the list, as the reference shows it. */
    readonly item: TSchema;
    readonly source: (call: OperatorCall, query: ListQuery<Filters, Needed>) => Promise<ListSource<Row>>;
    readonly render: (row: Row, call: OperatorCall) => unknown;
  },
): OperatorRoute {
  const { list, item, source, render, ...described } = operation;
  return {
    ...described,
    ...describePath(operation.path),
    method: 'GET',
    permission: 'read',
    list,
    answer: { status: 200, schema: listOf(item), description: 'A page of the list.' },
    problems: operation.problems ?? [],
    handle: async (call) => {
      const query = parseListQuery(list, call);
      const show = (rows: readonly Row[]) => rows.map((row) => render(row, call));
      return renderList(list.name, call, await readList(await source(call, query), query.position, show));
    },
  };
}

/** One thing by what names it in the path, and the list of all of them: the same item, shown the same way. */
export function defineShowAndList<Filters extends FilterSchemas, Row>(entity: {
  readonly tag: string;
  /** Of the list; one is below it. */
  readonly path: string;
  /** What names one in the path. */
  readonly key: string;
  readonly item: TSchema;
  readonly render: (row: Row, call: OperatorCall) => unknown;
  readonly show: Pick<Described, 'name' | 'summary'> & {
    readonly answer: string;
    readonly find: (call: OperatorCall, key: string) => Promise<Row | undefined>;
  };
  readonly list: Pick<Described, 'name' | 'summary' | 'description'> & {
    readonly definition: ListDefinition<Filters>;
    readonly source: (call: OperatorCall, query: ListQuery<Filters>) => Promise<ListSource<Row>>;
  };
}): OperatorRoute[] {
  const { tag, path, key, item, render, show, list } = entity;
  return [
    defineOperation({
      method: 'GET',
      path: `${path}/{${key}}`,
      name: show.name,
      permission: 'read',
      tag,
      summary: show.summary,
      answer: { status: 200, schema: item, description: show.answer },
      handle: async (call) => {
        const found = await show.find(call, readParam(call, key));
        if (found === undefined) throw notFound();
        return render(found, call);
      },
    }),
    defineList({
      path,
      name: list.name,
      tag,
      summary: list.summary,
      ...(list.description === undefined ? {} : { description: list.description }),
      item,
      list: list.definition,
      source: list.source,
      render,
    }),
  ];
}

export function describePath(path: string): Pick<Operation, 'path' | 'params'> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
  return {
    path: PREFIX + path,
    ...(names.length === 0 ? {} : { params: Object.fromEntries(names.map((name) => [name, Type.String()])) }),
  };
}

/** What cannot be stored names nothing that is stored. */
export function readParam(call: Call, name: string): string {
  const value = call.params[name] ?? '';
  if (!isStorableText(value)) throw notFound();
  return value;
}

/** For what is written in the caller's name. */
export function actorContextFor({ sql }: OperatorDeps, { actor }: OperatorCall): ActorContext {
  return { sql, actor };
}

/** From the database rather than the snapshot: an operator who has just made it must find it, on any node. */
export async function requireCustomer(deps: OperatorDeps, call: Call): Promise<Customer> {
  const customer = await readCustomer(deps.sql, readParam(call, 'customer_no'));
  if (customer === undefined) throw notFound();
  return customer;
}

/**
 * Lets this node see what was just written before the operator is answered. When that fails the write stands all the same,
 * and the next look of the snapshot brings it.
 */
export async function refreshConfiguration(deps: OperatorDeps): Promise<void> {
  await deps.snapshot.refresh().catch(() => undefined);
}
