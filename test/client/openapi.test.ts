// The client's types are written by hand, because generated ones read badly. This keeps them from drifting: the compiler
// compares them with the schemas that the server checks and shows, and every operation must have its method.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { OperatorClient, PostriderClient } from '@postrider/client';
import { expect, test } from 'vitest';
import { createCustomerApi } from '../../src/http/customer/api.js';
import { buildOpenApi } from '../../src/http/openapi.js';
import { createOperatorApi } from '../../src/http/operator/routes.js';
import { formatType } from './schema-to-type.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

// What the operations do is not wanted here, only what they look like, and that needs none of their dependencies.
const nothing = {} as never;
const document = buildOpenApi([createCustomerApi(nothing), createOperatorApi(nothing)], 'test');

function listOperations() {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  );
}

/** Answers: the client's name and the document's. */
const answers = {
  Task: 'Task',
  TaskDetail: 'TaskDetail',
  Preview: 'Preview',
  Batch: 'Batch',
  MovedBatch: 'MovedBatch',
  Receipt: 'Receipt',
  Uplink: 'Uplink',
  LedgerEntry: 'LedgerEntry',
  SubmitRecord: 'Submit',
  DeliveryRecord: 'Delivery',
  NumberHistory: 'NumberHistory',
  Account: 'Account',
  BalanceAt: 'BalanceAt',
  BalanceHistory: 'BalanceHistory',
  Statistic: 'Statistic',
  Statistics: 'Statistics',
  Statement: 'Statement',
  OwnTemplate: 'OwnTemplate',
  OwnServiceAccount: 'OwnServiceAccount',
  Template: 'Template',
  Review: 'Review',
  Firm: 'Firm',
  Price: 'Price',
  ServiceAccount: 'ServiceAccount',
  UsableFirm: 'UsableFirm',
  OptOut: 'OptOut',
  Webhook: 'Webhook',
  NewWebhook: 'NewWebhook',
  WebhookAttempt: 'WebhookAttempt',
  Customer: 'Customer',
  CustomerView: 'CustomerView',
  Channel: 'Channel',
  Platform: 'Platform',
  PlatformHistory: 'PlatformHistory',
  TemplatePreview: 'TemplatePreview',
  ChannelKindDescription: 'ChannelKind',
  ChannelTest: 'ChannelTest',
  ChannelEvent: 'ChannelEvent',
  Failure: 'Failure',
  Operator: 'Operator',
  NewOperator: 'NewOperator',
  NumberCustomer: 'NumberCustomer',
  Identity: 'Identity',
  OperatorUser: 'OperatorUser',
  NewOperatorUser: 'NewOperatorUser',
  CustomerUser: 'CustomerUser',
  NewCustomerUser: 'NewCustomerUser',
  Credential: 'Credential',
  NewCredential: 'NewCredential',
  UnknownPart: 'UnknownPart',
  KeptReport: 'KeptReport',
  SetAside: 'SetAside',
  UnclaimedUplink: 'UnclaimedUplink',
  Fault: 'Fault',
  Cost: 'Cost',
  Filing: 'Filing',
  BlockedWords: 'BlockedWords',
  BlockedContent: 'BlockedContent',
  RouteExplanation: 'RouteExplanation',
  OperatorStatistic: 'OperatorStatistic',
};

/** Bodies: the operation and the client's type for it. */
const bodies = {
  sendMessages: 'SendRequest',
  previewMessages: 'SendRequest',
  createWebhook: 'WebhookRequest',
  createFirm: 'FirmRequest',
  createChannel: 'ChannelRequest',
  testChannel: 'ChannelTestRequest',
  createCustomer: 'CustomerRequest',
  createCredential: 'CredentialRequest',
  createPrice: 'PriceRequest',
  createCost: 'CostRequest',
  setFiling: 'FilingRequest',
  addBlockedWords: 'BlockedWordsRequest',
  createServiceAccount: 'ServiceAccountRequest',
  createTemplate: 'TemplateRequest',
  previewTemplate: 'TemplateDraft',
  submitTemplate: 'SubmittedTemplate',
  reviewTemplate: 'ReviewRequest',
  createOperator: 'OperatorRequest',
  createUser: 'OperatorUserRequest',
  changeUser: 'OperatorUserChange',
  createCustomerUser: 'CustomerUserRequest',
  changeCustomerUser: 'CustomerUserChange',
  createOwnUser: 'CustomerUserRequest',
  createTopup: 'MoneyRequest',
  createAdjustment: 'MoneyRequest',
  resolveOperatorTask: 'ResolveRequest',
};

function formatBody(operationId: string): string {
  const found = listOperations().find(({ operation }) => operation.operationId === operationId);
  const schema = found?.operation.requestBody?.content['application/json']?.schema;
  if (schema === undefined) throw new Error(`The document has no operation ${operationId} with a body`);
  return formatType(schema);
}

function formatComparison(): string {
  const schemas = Object.entries(document.components.schemas);
  return [
    `import type * as client from '${join(root, 'packages/client/src/index.js')}';`,
    'type Plain<T> = T extends readonly (infer Item)[] ? readonly Plain<Item>[] : T extends object ? { readonly [Key in keyof T]: Plain<T[Key]> } : T;',
    'type Full<T> = T extends readonly (infer Item)[] ? readonly Full<Item>[] : T extends object ? { readonly [Key in keyof T]-?: Full<T[Key]> } : T;',
    'type Keys<T> = T extends unknown ? keyof T : never;',
    'type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;',
    // Optional members that only one side has pass for assignable, so that both sides are also compared with all of them.
    'type SameAnswer<A, B> = Same<Plain<A>, Plain<B>> extends true ? Same<Full<A>, Full<B>> : false;',
    'type Accepted<Ours, Theirs> = [Ours] extends [Theirs] ? Same<Keys<Ours>, Keys<Theirs>> : false;',
    ...schemas.map(([name, schema]) => `type ${name} = ${formatType(schema)};`),
    ...Object.entries(answers).map(
      ([ours, theirs]) => `export const answer${ours}: SameAnswer<client.${ours}, ${theirs}> = true;`,
    ),
    ...Object.entries(bodies).map(
      ([id, ours]) => `export const body_${id}: Accepted<client.${ours}, ${formatBody(id)}> = true;`,
    ),
    "export const problemCodes: Same<client.ErrorCode, Exclude<Problem['code'], 'internal'>> = true;",
  ].join('\n');
}

/** A complaint of the compiler about one comparison, by the name of what is compared. */
function nameLine(complaint: string, source: string): string {
  const line = source.split('\n')[Number(/\((\d+),/.exec(complaint)?.[1]) - 1];
  return /^export const (\w+)/.exec(line ?? '')?.[1] ?? complaint;
}

test('the types of the client are those of the API reference', async () => {
  const folder = await mkdtemp(join(root, 'test/client/.compare-'));
  try {
    const source = formatComparison();
    await writeFile(join(folder, 'compare.ts'), source);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const options = [
      '--ignoreConfig',
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--types',
      'node',
    ];
    const compiled = promisify(execFile)(process.execPath, [tsc, ...options, join(folder, 'compare.ts')], {
      cwd: root,
    });
    const complaints = await compiled.then(
      () => [],
      (error: { stdout: string }) => error.stdout.trim().split('\n'),
    );
    expect(complaints.map((complaint) => nameLine(complaint, source))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

/** Made of other methods. */
const composed = new Set(['send', 'sendOrReplay', 'sendAll', 'previewAll', 'findTask', 'waitForTask']);
const moves = ['prepare', 'freeze', 'submit', 'pause', 'resume', 'cancel'];

/** Calls every method once and notes what it asks for. */
async function recordCalls(): Promise<string[]> {
  const calls: string[] = [];
  const record = async (url: string | URL | Request, init?: RequestInit) => {
    calls.push(`${init?.method} ${new URL(String(url)).pathname.replace(/\/$/, '')}`);
    return new Response(JSON.stringify({ items: [], next_cursor: null }));
  };
  const shared = { baseUrl: 'http://localhost', fetch: record as typeof fetch };
  for (const client of [
    new PostriderClient({ ...shared, apiKey: 'key', apiSecret: 'secret' }),
    new OperatorClient({ ...shared, token: 'token' }),
  ]) {
    const methods = Object.getOwnPropertyNames(Object.getPrototypeOf(client)).filter((name) => name !== 'constructor');
    for (const name of methods.filter((method) => !composed.has(method))) {
      const method = (client as unknown as Record<string, (...words: string[]) => unknown>)[name];
      for (const move of name === 'moveTask' || name === 'moveBatch' ? moves : ['X']) {
        const words = ['X', move, 'X'].slice(0, method?.length);
        const result = (await method?.apply(client, words)) as { page?: () => Promise<unknown> } | null;
        if (typeof result?.page === 'function') await result.page();
      }
    }
  }
  return calls;
}

test('every operation has a method', async () => {
  const calls = new Set([...(await recordCalls()), 'POST /openapi/v1/messages/send']);
  const missing = listOperations().filter(({ path, method }) => {
    const pattern = new RegExp(`^${method} ${path.replace(/\/$/, '').replace(/\{\w+\}/g, '[^/]+')}$`);
    return ![...calls].some((call) => pattern.test(call));
  });
  expect(missing.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
});
