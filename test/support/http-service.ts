import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { createSoleMachine } from '../../src/app/machine.js';
import { traitsOf } from '../../src/channels/registry.js';
import { NO_NETWORKS, parseNetworks } from '../../src/domain/access/network-list.js';
import { DEFAULT_SCOPES, type Scope } from '../../src/domain/access/permissions.js';
import { asCustomerId, type CustomerId, createIdSource } from '../../src/domain/id.js';
import { createSessionAuth } from '../../src/http/auth/session-auth.js';
import { createCustomerApi } from '../../src/http/customer/api.js';
import type { CustomerDeps } from '../../src/http/customer/deps.js';
import { createRequestFairness } from '../../src/http/limits/request-fairness.js';
import { createHttpServer, type ServerLimits } from '../../src/http/server.js';
import { createAcceptor } from '../../src/pipeline/accept/accept.js';
import { createCustomerMutex } from '../../src/pipeline/fairness/customer-mutex.js';
import { createQuarantine } from '../../src/pipeline/quarantine/quarantine.js';
import { createRecorder } from '../../src/pipeline/settle/recorder.js';
import { moveTask, moveTasks, rescheduleTask } from '../../src/pipeline/task-moves/moves.js';
import { startWake } from '../../src/pipeline/wake.js';
import { startWorker } from '../../src/pipeline/worker.js';
import { connectDatabase } from '../../src/store/connect.js';
import { createSealer, credentialContext, type Sealer } from '../../src/store/secrets/seal.js';
import { startSnapshot } from '../../src/store/snapshot/source.js';
import type { Sql } from '../../src/store/sql.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { noteKind } from './kind.js';
import { createWebhookDeps } from './webhook-deps.js';

export interface TestCustomer {
  readonly customerId: CustomerId;
  readonly apiKey: string;
  readonly secret: string;
  readonly customerNo: string;
  readonly templateNo: string;
  readonly templateId: bigint;
  readonly serviceAccountNo: string;
  readonly serviceAccountId: bigint;
}

export interface CustomerOptions {
  readonly status?: 'active' | 'suspended';
  readonly ipAllow?: readonly string[];
  /** Of its key: those of a key that was created without any, unless given. */
  readonly scopes?: readonly Scope[];
  readonly requestsPerSecond?: number;
  readonly billingTimeZone?: string;
  readonly templateBody?: string;
  readonly templateFirms?: readonly string[] | null;
  readonly secret?: string;
  /** As if set up on another node: this one has not been told. */
  readonly isUnannounced?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any;
  readonly text: string;
}

export interface CallOptions {
  readonly method?: string;
  readonly body?: string | Buffer | object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timestamp?: string;
  readonly secret?: string;
  readonly remoteAddress?: string;
}

export interface HttpService {
  readonly app: FastifyInstance;
  readonly database: TestDatabase;
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly registry: Registry;
  readonly logged: string[];
  nowMs: () => number;
  change(run: (sql: Sql, version: bigint) => Promise<unknown>, isUnannounced?: boolean): Promise<void>;
  addCustomer(name: string, options?: CustomerOptions): Promise<TestCustomer>;
  call(customer: TestCustomer, target: string, options?: CallOptions): Promise<Answer>;
  listen(): Promise<number>;
  stop(): Promise<void>;
}

export function signHeaders(
  customer: Pick<TestCustomer, 'apiKey' | 'secret'>,
  parts: {
    readonly method: string;
    readonly target: string;
    readonly body?: string | Buffer;
    readonly timestamp?: string;
  },
): Record<string, string> {
  const timestamp = parts.timestamp ?? String(Date.now());
  const hash = createHash('sha256')
    .update(parts.body ?? '')
    .digest('hex');
  const sign = createHmac('sha256', customer.secret)
    .update(`${parts.method}\n${parts.target}\n${timestamp}\n${hash}`)
    .digest('hex');
  return { 'x-api-key': customer.apiKey, 'x-timestamp': timestamp, 'x-sign': sign };
}

export async function startHttpService(
  options: {
    readonly limits?: Partial<ServerLimits>;
    readonly trustedProxies?: readonly string[];
    readonly deps?: (deps: CustomerDeps) => CustomerDeps;
    readonly ready?: () => Promise<readonly string[]>;
    /** Tasks are prepared and frozen as they would be; nothing is handed to a channel. */
    readonly hasWorker?: boolean;
    /** Another node on the database of this service, which must outlive it. */
    readonly besides?: HttpService;
  } = {},
): Promise<HttpService> {
  noteKind('service');
  const database = options.besides?.database ?? (await createTestDatabase());
  const sql = options.besides === undefined ? database.sql : connectDatabase(database.address);
  const sealer = options.besides?.sealer ?? createSealer(randomBytes(32));
  const logged: string[] = [];
  const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
  const snapshot = await startSnapshot({ sql, sealer, traitsOf, log });
  const wake = await startWake({ sql, listen: false, warn: () => {} });
  const registry = new Registry();
  const nextId = createIdSource({ now: Date.now, randomBytes });
  const acceptor = createAcceptor({ sql, snapshot: () => snapshot.current(), nextId, wake });

  const limits = { receiptTimeoutMs: 3_600_000, unknownTimeoutMs: 3_600_000 };
  const stopping = new AbortController();
  const recorder = createRecorder({
    sql,
    limits,
    concurrency: 1,
    onCommit: () => {},
    signal: stopping.signal,
  });
  const mutex = createCustomerMutex(new AbortController().signal);
  const moveDeps = { sql, snapshot: () => snapshot.current(), wake, region: 'CN', limits, mutex } as const;
  const worker =
    options.hasWorker === true
      ? startWorker({
          ...moveDeps,
          recorder,
          quarantine: createQuarantine({ now: Date.now, log }),
          refreshSnapshot: snapshot.refresh,
          unsentTimeoutMs: 3_600_000,
          monotonicNow: () => performance.now(),
          log,
          setImbalances: () => {},
        })
      : { stop: async () => {} };

  const { limiter, exportGate } = createSoleMachine();
  const deps: CustomerDeps = {
    sql,
    readers: sql,
    snapshot,
    acceptor,
    move: (name, tenant, taskId) => moveTask(moveDeps, name, tenant, taskId),
    moveAll: (name, tenant, taskIds) => moveTasks(moveDeps, name, tenant, taskIds),
    findViewer: async () => undefined,
    authenticateSession: createSessionAuth(sql),
    users: { nextId, randomBytes, now: Date.now },
    noteKeyUsed: () => {},
    credentials: { sealer, randomBytes, refreshSnapshot: snapshot.refresh },
    templates: { nextId, refreshSnapshot: snapshot.refresh },
    webhooks: createWebhookDeps(sql, sealer),
    reschedule: (tenant, taskId, sendAt) => rescheduleTask(moveDeps, tenant, taskId, sendAt),
    issuer: 'Example Messaging, 1 Example Street',
    defaultRegion: 'CN',
    now: () => service.nowMs(),
    monotonicNow: () => performance.now(),
    limiter,
    fairness: createRequestFairness(),
    exportGate,
    processes: 1,
  };
  const service: HttpService = {
    database,
    sealer,
    sql,
    registry,
    logged,
    nowMs: Date.now,
    app: createHttpServer({
      log,
      registry,
      version: '0.0.0-test',
      ready: options.ready ?? (async () => []),
      ...(options.limits === undefined ? {} : { limits: options.limits }),
      trustedProxies: parseNetworks(options.trustedProxies ?? []) ?? NO_NETWORKS,
      apis: [createCustomerApi(options.deps?.(deps) ?? deps)],
    }),
    async change(run, isUnannounced = false) {
      await sql.begin(async (tx) => {
        const [row] = await tx<
          { version: bigint }[]
        >`update config_version set version = version + 1 returning version`;
        await run(tx as unknown as Sql, row?.version ?? 0n);
      });
      if (!isUnannounced) await snapshot.refresh();
    },
    addCustomer: (name, customerOptions = {}) => addCustomer(service, name, customerOptions),
    call: (customer, target, callOptions = {}) => call(service.app, customer, target, callOptions),
    async listen() {
      await service.app.listen({ host: '127.0.0.1', port: 0 });
      return (service.app.server.address() as AddressInfo).port;
    },
    async stop() {
      await service.app.close();
      await worker.stop();
      stopping.abort();
      await recorder.idle();
      await wake.stop();
      await snapshot.stop();
      await (options.besides === undefined ? database.drop() : sql.end());
    },
  };
  await service.app.ready();
  return service;
}

async function call(
  app: FastifyInstance,
  customer: TestCustomer,
  target: string,
  options: CallOptions,
): Promise<Answer> {
  const { body } = options;
  const payload = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const method = options.method ?? (payload === undefined ? 'GET' : 'POST');
  const signed = signHeaders(
    { apiKey: customer.apiKey, secret: options.secret ?? customer.secret },
    {
      method,
      target,
      ...(payload === undefined ? {} : { body: payload }),
      ...(options.timestamp === undefined ? {} : { timestamp: options.timestamp }),
    },
  );
  const response = await app.inject({
    method: method as 'GET',
    url: target,
    headers: {
      ...signed,
      ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(payload === undefined ? {} : { payload }),
    ...(options.remoteAddress === undefined ? {} : { remoteAddress: options.remoteAddress }),
  });
  const isJson = /[/+]json\b/.test(String(response.headers['content-type'])) && response.body !== '';
  return {
    status: response.statusCode,
    headers: response.headers,
    body: isJson ? JSON.parse(response.body) : undefined,
    text: response.body,
  };
}

async function addCustomer(service: HttpService, name: string, options: CustomerOptions): Promise<TestCustomer> {
  const apiKey = `pk_${name}`;
  const secret = options.secret ?? `sk_${name}`;
  let created: TestCustomer | undefined;
  await service.change(async (sql, version) => {
    await sql`insert into firm (firm, name, version) values ('cmcc', 'China Mobile', ${version}) on conflict do nothing`;
    const [channel] = await sql<{ id: bigint }[]>`
      insert into channel (channel_no, name, kind, firms, status, config, version)
      values (${`H_${name}`}, ${name}, 'simulator', ${['cmcc']}, 'active', '{}', ${version}) returning channel_id as id`;
    const [customer] = await sql<{ id: bigint }[]>`
      insert into customer (customer_no, name, status, currency, billing_mode, credit_limit, charge_on,
        refund_on_failure, unit_price, policy_prepare, policy_freeze, policy_submit, requests_per_second, billing_time_zone,
        version)
      values (${`C_${name}`}, ${name}, ${options.status ?? 'active'}, 'CNY', 'prepaid', 0, 'submit', false, 50000,
        'by_request', 'by_request', 'by_request', ${options.requestsPerSecond ?? 100_000},
        ${options.billingTimeZone ?? 'UTC'}, ${version})
      returning customer_id as id`;
    const customerId = asCustomerId(customer?.id ?? 0n);
    await sql`insert into account (customer_id) values (${customerId})`;
    await sql`insert into channel_grant (customer_id, channel_id, version)
      values (${customerId}, ${channel?.id ?? 0n}, ${version})`;
    await sql`insert into credential (api_key, customer_id, secret_sealed, ip_allow, scopes, status, version)
      values (${apiKey}, ${customerId}, ${service.sealer.seal(secret, credentialContext(customerId, apiKey))},
        ${[...(options.ipAllow ?? [])]}, ${[...(options.scopes ?? DEFAULT_SCOPES)]}, 'active', ${version})`;
    const [account] = await sql<{ id: bigint }[]>`
      insert into service_account (service_account_no, customer_id, name, sender, status, version)
      values (${`A_${name}`}, ${customerId}, 'Main', '1069', 'active', ${version}) returning service_account_id as id`;
    const firms = options.templateFirms ?? null;
    const [template] = await sql<{ id: bigint }[]>`
      insert into template (template_no, customer_id, name, body, service_account_id, firms, status, version)
      values (${`M_${name}`}, ${customerId}, 'Hello', ${options.templateBody ?? 'Hello'}, ${account?.id ?? 0n},
        ${firms === null ? null : [...firms]}, 'active', ${version}) returning template_id as id`;
    created = {
      customerId,
      apiKey,
      secret,
      customerNo: `C_${name}`,
      templateNo: `M_${name}`,
      templateId: template?.id ?? 0n,
      serviceAccountNo: `A_${name}`,
      serviceAccountId: account?.id ?? 0n,
    };
  }, options.isUnannounced);
  if (created === undefined) throw new Error('the customer was not created');
  return created;
}
