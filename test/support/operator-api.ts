// The operator API on a database of its own, called without a socket.

import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { checkConfig } from '../../src/channels/check-config.js';
import { CHANNEL_KINDS, traitsOf } from '../../src/channels/registry.js';
import { SimulatorConfigSchema } from '../../src/channels/simulator/config.js';
import { errorText } from '../../src/domain/fault/error-text.js';
import { createFault } from '../../src/domain/fault/fault.js';
import { createIdSource, type TaskId } from '../../src/domain/id.js';
import type { Tenant } from '../../src/domain/tenant.js';
import { createSessionAuth } from '../../src/http/auth/session-auth.js';
import type { MoveName, MoveResult } from '../../src/http/customer/deps.js';
import { createGuessGuard } from '../../src/http/limits/guess-guard.js';
import type { CheckChannelConfig, OperatorDeps, Resolution } from '../../src/http/operator/operator-route.js';
import { createOperatorApi } from '../../src/http/operator/routes.js';
import { createHttpServer } from '../../src/http/server.js';
import { createSealer, type Sealer } from '../../src/store/secrets/seal.js';
import { type SnapshotSource, startSnapshot } from '../../src/store/snapshot/source.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { createWebhookDeps } from './webhook-deps.js';

export const OPERATOR_TOKEN = 'operator-token-of-the-tests';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever JSON comes back.
  readonly body: any;
  readonly headers: Readonly<Record<string, unknown>>;
}

export interface OperatorApi {
  readonly database: TestDatabase;
  readonly snapshot: SnapshotSource;
  readonly sealer: Sealer;
  readonly app: FastifyInstance;
  readonly deps: OperatorDeps;
  readonly moved: { readonly name: string; readonly taskId: TaskId; readonly resolution?: Resolution }[];
  /** What wrong tokens are slowed down by. */
  readonly clock: { nowMs: number };
  /** How often tasks that wait for money were told of some. */
  credits(): number;
  /** What the next move answers. */
  setMoveResult(result: MoveResult): void;
  logged(): string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  close(): Promise<void>;
}

export async function startOperatorApi(): Promise<OperatorApi> {
  const database = await createTestDatabase();
  const sealer = createSealer(randomBytes(32));
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (text: string) => void lines.push(text) });
  const snapshot = await startSnapshot({ sql: database.sql, sealer, traitsOf, log });
  const moved: OperatorApi['moved'] = [];
  let credits = 0;
  let moveResult: MoveResult = { kind: 'ok' };
  const clock = { nowMs: 0 };
  const deps: OperatorDeps = {
    recovery: {
      readUnderWay: async () => [],
      markUnsentUnknown: async () => ({ tasks: 0, numbers: 0, pausedTasks: 0 }),
    },
    guessGuard: createGuessGuard(() => clock.nowMs),
    sql: database.sql,
    readers: database.sql,
    snapshot,
    sealer,
    authenticateSession: createSessionAuth(database.sql),
    webhooks: createWebhookDeps(database.sql, sealer),
    rootTokens: [OPERATOR_TOKEN],
    defaultRegion: 'CN',
    nextId: createIdSource({ now: Date.now, randomBytes }),
    randomBytes,
    now: Date.now,
    monotonicNow: () => clock.nowMs,
    channelKinds: {
      list: CHANNEL_KINDS,
      traitsOf,
      hasCallbacks: (kind) => kind === 'http',
      exclusiveClaimOf: () => undefined,
      checkConfig: checkTestConfig,
    },
    retentionMs: null,
    onChannelTest: () => {},
    move: async (name: MoveName, _tenant: Tenant, taskId: TaskId, alongside) => {
      moved.push({ name, taskId });
      if (moveResult.kind === 'ok') await alongside?.(database.sql, []);
      return moveResult;
    },
    resolve: async (_tenant, taskId, resolution, alongside) => {
      moved.push({ name: 'resolve', taskId, resolution });
      if (moveResult.kind === 'ok') await alongside(database.sql, []);
      return moveResult;
    },
    requeueTemplate: async () => {},
    leaveChannels: async () => {},
    onCredited: () => {
      credits += 1;
    },
  };
  const app = createHttpServer({
    log,
    registry: new Registry(),
    ready: async () => [],
    version: '0.0.0',
    apis: [createOperatorApi(deps)],
  });
  return {
    database,
    snapshot,
    sealer,
    app,
    deps,
    moved,
    clock,
    credits: () => credits,
    setMoveResult: (result) => {
      moveResult = result;
    },
    logged: () => lines.join(''),
    async call(method, path, body, headers = {}) {
      const answer = await app.inject({
        method: method as 'GET',
        url: `/operator/v1${path}`,
        headers: {
          authorization: `Bearer ${OPERATOR_TOKEN}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return { status: answer.statusCode, body: answer.body === '' ? null : answer.json(), headers: answer.headers };
    },
    async close() {
      await app.close();
      await snapshot.stop();
      await database.drop();
    },
  };
}

/** The pairs that tests compare: order and words do not matter to them. */
export function faultsOf(answer: Answer): string[] {
  return (answer.body.errors as { pointer: string; code: string }[])
    .map(({ pointer, code }) => `${pointer} ${code}`)
    .sort();
}

/** Of other kinds than the simulator only the secret is checked, so that tests need not fill in the rest. */
export const checkTestConfig: CheckChannelConfig = (kind, config) => {
  if (kind === 'simulator') {
    const checked = checkConfig(SimulatorConfigSchema, config);
    return checked.faults !== undefined ? checked : { config: { ...checked.config }, secret: {} };
  }
  const { password, ...rest } = config;
  if (password === undefined) return { faults: [createFault('/password', 'required', errorText('required'))] };
  return { config: { tls: false, ...rest }, secret: { password } };
};
