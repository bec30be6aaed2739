// What can be done with webhooks, by their customer and by the operator alike: both APIs are made from this one table.

import type { Static } from '@sinclair/typebox';
import { type Webhook, WebhookChanges, WebhookFields, type WebhookPatch } from '../../domain/entities/webhook.js';
import { errorText } from '../../domain/fault/error-text.js';
import { createFault, type Fault, MAX_FAULTS } from '../../domain/fault/fault.js';
import { parseNo } from '../../domain/id.js';
import { checkFields } from '../../domain/request/check-fields.js';
import type { Tenant } from '../../domain/tenant.js';
import { MAX_WEBHOOKS, ROTATION_MS, SECRET_BYTES } from '../../domain/webhook.js';
import type { AddressGuard } from '../../outbound/address-guard.js';
import type { CustomerMutex } from '../../pipeline/fairness/customer-mutex.js';
import type { Poster } from '../../pipeline/push/post.js';
import { resendMessage } from '../../pipeline/push/resend.js';
import type { Sources } from '../../pipeline/push/sources.js';
import { sendTestMessage } from '../../pipeline/push/test-message.js';
import { listFromArray, readList } from '../../store/list.js';
import { type Sealer, webhookContext } from '../../store/secrets/seal.js';
import type { Sql } from '../../store/sql.js';
import {
  type Alongside,
  changeWebhook,
  createWebhook,
  deleteWebhook,
  readWebhook,
  readWebhooks,
  replayWebhook,
  rotateSecret,
} from '../../store/webhook/webhook.js';
import { readAttempts } from '../../store/webhook/webhook-attempt.js';
import { checkBody } from '../body/check-body.js';
import { exampleList } from '../examples.js';
import type { CallGate } from '../limits/call-gate.js';
import { isMasked } from '../masking.js';
import { invalidRequest, notFound } from '../problem/problem.js';
import { rateLimited } from '../problem/rate-limited.js';
import { listOf, parseListQuery, rejectParameters, renderList } from '../query/list-query.js';
import { parseTimeMs } from '../query/time-parameter.js';
import type { Call, Operation } from '../route.js';
import {
  NewWebhookAnswer,
  ReplayBody,
  renderAttempt,
  renderWebhook,
  WebhookAnswer,
  WebhookAttemptAnswer,
  webhookExamples,
} from './webhook-schemas.js';

export interface WebhookDeps {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly guard: Pick<AddressGuard, 'findFault'>;
  readonly poster: Poster;
  /** For messages that are sent once more. */
  readonly sources: Sources;
  /** Bounds what waits for servers of a customer. */
  readonly gate: CallGate;
  /** Changes are written under the account's lock. */
  readonly mutex: CustomerMutex;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly nextId: () => bigint;
  readonly randomBytes: (count: number) => Buffer;
  /** After a change: events may be due. */
  readonly onChanged: () => void;
}

export type WebhookVerb =
  | 'create'
  | 'list'
  | 'get'
  | 'change'
  | 'delete'
  | 'rotate'
  | 'test'
  | 'replay'
  | 'list attempts'
  | 'resend';

export interface WebhookAction
  extends Pick<Operation, 'method' | 'summary' | 'description' | 'body' | 'answer' | 'list'> {
  readonly verb: WebhookVerb;
  /** Below the webhooks of the customer. */
  readonly path: string;
  /** What an operator does with it is in the audit log; what it only looks at is not. */
  readonly run: (deps: WebhookDeps, tenant: Tenant, call: Call, alongside?: Alongside) => Promise<unknown>;
}

const ONE = '/{webhook_no}';
const REPLAY_RETRY_SECONDS = 1;
const shownOnce = 'With its secret, which is shown this once and never again.';
export const webhookList = { name: 'webhooks', timed: false, filters: {} } as const;
export const attemptList = { name: 'webhook-attempts', timed: false, filters: {} } as const;

export const webhookActions: readonly WebhookAction[] = [
  {
    verb: 'create',
    method: 'POST',
    path: '',
    summary: 'Create a webhook',
    description: `It receives events from now on, once it has answered a test message with 2xx. The test message is sent before the first event and retried like one. At most ${MAX_WEBHOOKS} a customer.`,
    body: { schema: WebhookFields, example: webhookExamples.body },
    answer: { status: 201, schema: NewWebhookAnswer, description: shownOnce, example: webhookExamples.newWebhook },
    run: create,
  },
  {
    verb: 'list',
    method: 'GET',
    path: '',
    summary: 'List webhooks',
    list: webhookList,
    answer: {
      status: 200,
      schema: listOf(WebhookAnswer),
      description: 'A page of the list, oldest first.',
      example: exampleList(webhookExamples.webhook),
    },
    run: async ({ sql }, tenant, call) => {
      const { position } = parseListQuery(webhookList, call);
      const source = listFromArray(await readWebhooks(sql, tenant), ({ webhook_id }) => String(webhook_id));
      return renderList(webhookList.name, call, await readList(source, position, (rows) => rows.map(renderWebhook)));
    },
  },
  {
    verb: 'get',
    method: 'GET',
    path: ONE,
    summary: 'Show a webhook',
    description: 'With the delivery state of each kind of event; without its secret.',
    answer: { status: 200, schema: WebhookAnswer, description: 'The webhook.', example: webhookExamples.webhook },
    run: async ({ sql }, tenant, call) => {
      rejectParameters(call.requestTarget);
      return show(await readWebhook(sql, tenant, idOf(call)));
    },
  },
  {
    verb: 'change',
    method: 'PATCH',
    path: ONE,
    summary: 'Change a webhook',
    description:
      'A disabled webhook continues where it stopped once its `status` is `active`. A kind of event that is added is sent from now on.',
    body: { schema: WebhookChanges, example: webhookExamples.change },
    answer: { status: 200, schema: WebhookAnswer, description: 'The webhook.', example: webhookExamples.webhook },
    run: async (deps, tenant, call, alongside) => {
      rejectParameters(call.requestTarget);
      const patch = restrict(call, await checkTerms(deps, tenant, call, WebhookChanges));
      const change = () => changeWebhook(deps.sql, tenant, idOf(call), patch, alongside);
      return afterChange(deps, await deps.mutex.run(tenant.customerId, change));
    },
  },
  {
    verb: 'delete',
    method: 'DELETE',
    path: ONE,
    summary: 'Delete a webhook',
    description: 'For good, with its log of attempts.',
    answer: { status: 200, schema: WebhookAnswer, description: 'As it was.', example: webhookExamples.webhook },
    run: async ({ sql, mutex }, tenant, call, alongside) => {
      rejectParameters(call.requestTarget);
      return show(await mutex.run(tenant.customerId, () => deleteWebhook(sql, tenant, idOf(call), alongside)));
    },
  },
  {
    verb: 'rotate',
    method: 'POST',
    path: `${ONE}/rotate`,
    summary: 'Rotate the secret of a webhook',
    description: 'The old one signs along for 24 hours: calls carry both signatures.',
    answer: { status: 200, schema: NewWebhookAnswer, description: shownOnce, example: webhookExamples.newWebhook },
    run: async (deps, tenant, call, alongside) => {
      rejectParameters(call.requestTarget);
      const webhookId = idOf(call);
      const { secret, sealed } = createSecret(deps, tenant, webhookId);
      const oldUntil = new Date(deps.now() + ROTATION_MS);
      const rotate = () => rotateSecret(deps.sql, tenant, webhookId, { sealed, oldUntil }, alongside);
      return { ...show(await deps.mutex.run(tenant.customerId, rotate)), secret };
    },
  },
  {
    verb: 'test',
    method: 'POST',
    path: `${ONE}/test`,
    summary: 'Send a test message to a webhook',
    description:
      'At once, once, also where it is disabled. Its type is `test`. A few at a time per customer, else 429.',
    answer: {
      status: 200,
      schema: WebhookAttemptAnswer,
      description: 'What came of it.',
      example: { ...webhookExamples.attempt, event: 'test', items: 0 },
    },
    run: async (deps, tenant, call) => {
      rejectParameters(call.requestTarget);
      const attempt = await deps.gate.run(tenant.customerId, call, (signal) =>
        sendTestMessage(deps, tenant, idOf(call), signal),
      );
      if (attempt === undefined) throw notFound();
      return renderAttempt(attempt);
    },
  },
  {
    verb: 'replay',
    method: 'POST',
    path: `${ONE}/replay`,
    summary: 'Replay the events of a webhook since a time',
    description:
      'In new messages, in order, at most two a second for each kind of event. Undelivered events are not skipped by a later time. One replay at a time, else 429.',
    body: { schema: ReplayBody, example: webhookExamples.replay },
    answer: { status: 200, schema: WebhookAnswer, description: 'The webhook.', example: webhookExamples.webhook },
    run: async (deps, tenant, call, alongside) => {
      rejectParameters(call.requestTarget);
      const from = readFrom(checkBody(ReplayBody, call.body, { defaults: true }));
      const replay = () => replayWebhook(deps.sql, tenant, idOf(call), from, alongside);
      const replayed = await deps.mutex.run(tenant.customerId, replay);
      if (replayed === 'replaying') {
        throw rateLimited(errorText('replay_running'), { name: 'running replays', count: 1 }, REPLAY_RETRY_SECONDS);
      }
      return afterChange(deps, replayed);
    },
  },
  {
    verb: 'list attempts',
    method: 'GET',
    path: `${ONE}/attempts`,
    summary: 'List the last attempts at a webhook',
    description: 'The last hundred, newest first.',
    list: attemptList,
    answer: {
      status: 200,
      schema: listOf(WebhookAttemptAnswer),
      description: 'A page of the list.',
      example: exampleList(webhookExamples.attempt),
    },
    run: async ({ sql }, tenant, call) => {
      const { position } = parseListQuery(attemptList, call);
      const webhookId = idOf(call);
      show(await readWebhook(sql, tenant, webhookId));
      const source = listFromArray(await readAttempts(sql, tenant, webhookId), ({ attempt_no }) => String(attempt_no));
      return renderList(attemptList.name, call, await readList(source, position, (rows) => rows.map(renderAttempt)));
    },
  },
  {
    verb: 'resend',
    method: 'POST',
    path: `${ONE}/attempts/{id}/resend`,
    summary: 'Resend the message of an attempt',
    description:
      'At once, once, with the same `webhook-id` and the events as they are now, also where the webhook is disabled. It is another attempt and changes nothing of what is due. Not found once the attempt has left the log or its events have ended. A few at a time per customer, else 429.',
    answer: {
      status: 200,
      schema: WebhookAttemptAnswer,
      description: 'What came of it.',
      example: webhookExamples.attempt,
    },
    run: async (deps, tenant, call) => {
      rejectParameters(call.requestTarget);
      const attemptNo = attemptNoOf(call);
      const attempt = await deps.gate.run(tenant.customerId, call, (signal) =>
        resendMessage(deps, tenant, idOf(call), attemptNo, signal),
      );
      if (attempt === undefined) throw notFound();
      return renderAttempt(attempt);
    },
  },
];

/** What is no number was never an attempt. */
function attemptNoOf({ params }: Call): bigint {
  const text = params.id ?? '';
  if (!/^[1-9]\d{0,17}$/.test(text)) throw notFound();
  return BigInt(text);
}

async function create(deps: WebhookDeps, tenant: Tenant, call: Call, alongside?: Alongside) {
  rejectParameters(call.requestTarget);
  const given = await checkTerms(deps, tenant, call, WebhookFields);
  const terms = { ...given, masked: given.masked || isMasked(call.request) };
  const webhookId = deps.nextId();
  const { secret, sealed } = createSecret(deps, tenant, webhookId);
  const created = await deps.mutex.run(tenant.customerId, () =>
    createWebhook(deps.sql, tenant, { webhookId, terms, secretSealed: sealed }, alongside),
  );
  if (created === undefined) {
    const message = errorText('too_many_webhooks', { count: MAX_WEBHOOKS });
    throw invalidRequest([createFault('', 'too_many', message)]);
  }
  deps.onChanged();
  return { ...renderWebhook(created), secret };
}

/** A masked caller can neither unmask an endpoint nor have full numbers sent to another URL. */
function restrict({ request }: Call, patch: WebhookPatch): WebhookPatch {
  if (!isMasked(request)) return patch;
  const { masked, ...others } = patch;
  return masked === true || others.url !== undefined ? { ...others, masked: true } : others;
}

/** Names every fault at once, that of an address that may not be reached included. */
async function checkTerms<Schema extends typeof WebhookFields | typeof WebhookChanges>(
  { guard, gate }: WebhookDeps,
  tenant: Tenant,
  call: Call,
  schema: Schema,
): Promise<Static<Schema>> {
  const sound: { url?: string | undefined } = {};
  const refine = (fields: { readonly url?: string | undefined }): readonly Fault[] => {
    Object.assign(sound, fields);
    return [];
  };
  const { value, faults = [] } = checkFields(schema, call.body, { defaults: schema === WebhookFields, refine });
  const { url } = sound;
  const message =
    url === undefined ? undefined : await gate.run(tenant.customerId, call, (signal) => guard.findFault(url, signal));
  const all = message === undefined ? faults : [...faults, createFault('/url', 'format', message)];
  if (value === undefined || all.length > 0) throw invalidRequest(all.slice(0, MAX_FAULTS));
  return value;
}

function createSecret({ randomBytes, sealer }: WebhookDeps, { customerId }: Tenant, webhookId: bigint) {
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
  return { secret, sealed: sealer.seal(secret, webhookContext(customerId, webhookId)) };
}

function readFrom({ from }: Static<typeof ReplayBody>): Date {
  const ms = parseTimeMs(String(from));
  if (ms !== undefined) return new Date(ms);
  const fault: Fault = createFault('/from', 'format', errorText('not_time_or_epoch'));
  throw invalidRequest([fault]);
}

/** A number that we cannot have made is not found, like one of someone else. */
export function idOf({ params }: Call): bigint {
  const id = parseNo('W', params.webhook_no ?? '');
  if (id === undefined) throw notFound();
  return id;
}

function show(webhook: Webhook | undefined) {
  if (webhook === undefined) throw notFound();
  return renderWebhook(webhook);
}

function afterChange(deps: WebhookDeps, webhook: Webhook | undefined) {
  const shown = show(webhook);
  deps.onChanged();
  return shown;
}
