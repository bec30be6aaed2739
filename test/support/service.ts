// The whole service in this process, on a database of its own, spoken to over HTTP like anybody would.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CustomerRequest,
  type Listing,
  OperatorClient,
  PostriderClient,
  type SendRequest,
  type Task,
  type TaskDetail,
} from '@postrider/client';
import { pino } from 'pino';
import type { PushSettings } from '../../src/app/options.js';
import { start } from '../../src/app/start.js';
import { readConfig } from '../../src/service/config.js';
import type { ConnectOptions } from '../../src/store/connect.js';
import type { Sql } from '../../src/store/sql.js';
import { createTestDatabase, type TestDatabase } from './database.js';
import { noteKind } from './kind.js';
import { until } from './until.js';

const OPERATOR_TOKEN = 'operator-token-of-the-tests';
const UNIT_PRICE = '0.050000';

export interface ServiceOptions {
  /** Further variables of the environment, such as POSTRIDER_RECEIPT_TIMEOUT. */
  readonly env?: Readonly<Record<string, string>>;
  readonly maxConnections?: number;
  readonly push?: PushSettings;
  /** The clock that windows open by. */
  readonly databaseNow?: () => number;
  /** Passwords are hashed at a cost for tests. */
  readonly hasCheapPasswords?: boolean;
  readonly onNotice?: ConnectOptions['onNotice'];
  /** On the database before the service starts on it. */
  readonly before?: (database: TestDatabase) => Promise<unknown>;
}

export interface CustomerOptions extends Partial<CustomerRequest> {
  /** Nothing is topped up when it is '0'. */
  readonly balance?: string;
  readonly body?: string;
  /** The firms that the template is approved for. */
  readonly templateFirms?: readonly string[];
  readonly channelNos?: readonly string[];
}

export interface ServiceCustomer {
  readonly customerNo: string;
  readonly templateNo: string;
  readonly serviceAccountNo: string;
  readonly sender: string;
  readonly client: PostriderClient;
  /** All three steps automatic by default. */
  send(phones: readonly string[], more?: Partial<SendRequest>): Promise<Task>;
  /** Waits until the task is as wished. */
  taskWhen(taskNo: string, isSo: (task: TaskDetail) => boolean): Promise<TaskDetail>;
  completed(taskNo: string): Promise<TaskDetail>;
}

export interface Service {
  readonly url: string;
  readonly sql: Sql;
  readonly operator: OperatorClient;
  /** The simulator that every customer is granted unless others are named. */
  readonly channelNo: string;
  /** Everything the service logged as a warning or worse. */
  readonly complaints: readonly string[];
  addChannel(firms: readonly string[], config?: Readonly<Record<string, unknown>>, rate?: number): Promise<string>;
  addCustomer(options?: CustomerOptions): Promise<ServiceCustomer>;
  stop(): Promise<void>;
}

/** Starts the service with a firm `cmcc` that any number belongs to and a simulator that serves it. */
export async function startService(options: ServiceOptions = {}): Promise<Service> {
  noteKind('service');
  const database = await createTestDatabase({ maxConnections: options.maxConnections ?? 5 });
  await options.before?.(database);
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-service-'));
  const complaints: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void complaints.push(line) });
  const config = readConfig({
    POSTRIDER_DATABASE_URL: database.url,
    POSTRIDER_DATA_DIR: dataDir,
    POSTRIDER_PORT: '0',
    POSTRIDER_OPERATOR_TOKEN: OPERATOR_TOKEN,
    POSTRIDER_SECRET_KEY: 'a secret key of the tests, long enough',
    ...options.env,
  });
  const failed = async (error: Error): Promise<never> => {
    await database.drop();
    throw error;
  };
  const running = await start(config, {
    log,
    onFailure: (error) => complaints.push(error.message),
    ...(options.push && { push: options.push }),
    ...(options.databaseNow && { databaseNow: options.databaseNow }),
    ...(options.hasCheapPasswords && { passwordCost: { logN: 10, r: 8, p: 1 } }),
    ...(options.onNotice && { onNotice: options.onNotice }),
  }).catch(failed);
  const operator = new OperatorClient({ baseUrl: running.url, token: OPERATOR_TOKEN });
  const addChannel: Service['addChannel'] = async (firms, settings = {}, rate) => {
    const limits = rate === undefined ? {} : { parts_per_second: rate };
    const request = { name: 'Simulator', kind: 'simulator', firms, config: settings, ...limits } as const;
    const { channel_no: channelNo } = await operator.createChannel(request);
    await until(async () => (await operator.channel(channelNo)).health.state === 'up');
    return channelNo;
  };
  await operator.createFirm({ firm: 'cmcc', name: 'China Mobile' });
  const channelNo = await addChannel(['cmcc']);
  return {
    url: running.url,
    sql: database.sql,
    operator,
    channelNo,
    complaints,
    addChannel,
    addCustomer: (terms = {}) => addCustomer(running.url, operator, { channelNos: [channelNo], ...terms }),
    stop: () => stopAll(running.stop, database, dataDir),
  };
}

async function stopAll(stop: () => Promise<void>, database: TestDatabase, dataDir: string): Promise<void> {
  await stop();
  await database.drop();
  await rm(dataDir, { recursive: true, force: true });
}

let customers = 0;

async function addCustomer(
  baseUrl: string,
  operator: OperatorClient,
  options: CustomerOptions,
): Promise<ServiceCustomer> {
  const { balance = '1000', body = 'Hello', templateFirms, channelNos = [], ...terms } = options;
  customers += 1;
  const sender = String(106900 + customers);
  const request = { name: `Customer ${customers}`, unit_price: UNIT_PRICE, requests_per_second: 100_000, ...terms };
  const { customer_no: customerNo } = await operator.createCustomer(request);
  for (const channel_no of channelNos) await operator.grantChannel(customerNo, channel_no);
  const account = await operator.createServiceAccount(customerNo, { name: 'Main', sender });
  const serviceAccountNo = account.service_account_no;
  const template = await operator.createTemplate(customerNo, {
    name: 'Hello',
    body,
    service_account_no: serviceAccountNo,
    ...(templateFirms === undefined ? {} : { firms: templateFirms }),
  });
  const credential = await operator.createCredential(customerNo);
  if (Number(balance) > 0) await operator.topUp(customerNo, { amount: balance });
  const client = new PostriderClient({ baseUrl, apiKey: credential.api_key, apiSecret: credential.api_secret });
  const templateNo = template.template_no;
  const taskWhen: ServiceCustomer['taskWhen'] = async (taskNo, isSo) => {
    let task = await client.task(taskNo);
    await until(
      () => `another task than ${JSON.stringify(task)}`,
      async () => {
        task = await client.task(taskNo);
        return isSo(task);
      },
    );
    return task;
  };
  return {
    customerNo,
    templateNo,
    serviceAccountNo,
    sender,
    client,
    send: (phones, more = {}) =>
      client.send({
        template_no: templateNo,
        auto_prepare: true,
        auto_freeze: true,
        auto_submit: true,
        ...('recipients' in more ? {} : { phones }),
        ...more,
      } as SendRequest),
    taskWhen,
    completed: (taskNo) => taskWhen(taskNo, (task) => task.stage === 'completed'),
  };
}

/** A whole list, oldest first. */
export async function allOf<Item>(list: Listing<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of list) items.push(item);
  return items.reverse();
}
