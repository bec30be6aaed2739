// The demo: on a fresh database a customer that can send at once, created by the functions of the operator API. Every step checks what
// exists, so that the next start completes an interrupted set-up.

import { readFile, rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import type { Static, TSchema } from '@sinclair/typebox';
import { ChannelFields } from '../domain/entities/channel.js';
import { CredentialFields } from '../domain/entities/credential.js';
import { type Customer, CustomerFields } from '../domain/entities/customer.js';
import { ServiceAccountFields } from '../domain/entities/service-account.js';
import { TemplateFields } from '../domain/entities/template.js';
import { formatNo } from '../domain/id.js';
import { type Money, parseMoney } from '../domain/money/money.js';
import { checkFields } from '../domain/request/check-fields.js';
import type { CheckChannelConfig } from '../http/operator/operator-route.js';
import { createDataFolder } from '../store/data-folder.js';
import type { ListSource } from '../store/list.js';
import type { ActorContext } from '../store/operator/change.js';
import { changeChannel, createChannel, readChannels } from '../store/operator/channel.js';
import { createCredential, createKeyPair, readCredentials } from '../store/operator/credential.js';
import { creditCustomer } from '../store/operator/credit.js';
import { createCustomer, findCustomerByName, hasCustomers, readCustomer } from '../store/operator/customer.js';
import { createFirm } from '../store/operator/firm.js';
import { createGrant } from '../store/operator/grant.js';
import { createServiceAccount, listServiceAccounts } from '../store/operator/service-account.js';
import { createTemplate, listTemplates } from '../store/operator/templates/template.js';
import type { Sealer } from '../store/secrets/seal.js';
import type { Sql } from '../store/sql.js';
import { DEMO_FILE, isDemoCarrier } from './demo-names.js';

export interface DemoDeps {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly snapshot: { refresh(): Promise<void> };
  readonly nextId: () => bigint;
  readonly randomBytes: (count: number) => Buffer;
  readonly checkChannelConfig: CheckChannelConfig;
  readonly dataDir: string;
  /** Where the service answers. */
  readonly url: string;
}

/** As written to `demo.json`, which the command line reads. */
export interface DemoCredentials {
  readonly url: string;
  readonly api_key: string;
  readonly api_secret: string;
  readonly customer_no: string;
  readonly template_no: string;
  readonly service_account_no: string;
  readonly channel_no: string;
}

const DEMO_NAME = 'Demo';
/** One of each class, in Chinese and in English. `postrider send` uses the last one, which lists show first. */
const DEMO_TEMPLATES = [
  { name: '演示优惠', class: 'promotion', body: '{p1}，您好！本周全场{p2}折。' },
  { name: '演示验证码', class: 'otp', body: '验证码为{p1}，请勿告知他人。' },
  { name: '演示通知', class: 'notice', body: '{p1}，您好，欢迎使用 Postrider。' },
  { name: 'Demo offer', class: 'promotion', body: 'Hello {p1}, this week everything is {p2} off.' },
  { name: 'Demo code', class: 'otp', body: 'Your code is {p1}. Do not share it.' },
  { name: DEMO_NAME, class: 'notice', body: 'Hello {p1}, this is Postrider.' },
] as const;
const DEMO_SENDER = '10690000';
const DEMO_UNIT_PRICE = '0.05';
const DEMO_BALANCE = '1000';

/** Without prefixes it has every number. Real firms, with prefixes, are for the operator to create. */
const DEMO_FIRM = { firm: 'demo', name: DEMO_NAME, prefixes: [] };

/** Undefined if the database has customers and none of them is the demo. */
export async function setUpDemo(deps: DemoDeps): Promise<DemoCredentials | undefined> {
  const path = join(deps.dataDir, DEMO_FILE);
  await returnToSimulator(deps);
  const saved = await readSaved(path);
  if (saved !== undefined && (await isUsable(deps, saved))) {
    const current = { ...saved, url: deps.url };
    if (saved.url !== deps.url) await save(path, current);
    return current;
  }
  const actorContext = actorContextFor(deps);
  const customer = await findOrCreateCustomer(deps);
  if (customer === undefined) return undefined;
  const channelNo = await findOrCreateChannel(deps);
  await createGrant(actorContext, customer, channelNo);
  const serviceAccountNo = await findOrCreateServiceAccount(deps, customer);
  const templateNo = await findOrCreateTemplates(deps, customer, serviceAccountNo);
  const balance = { type: 'topup', amount: toMoney(DEMO_BALANCE), remark: 'Demo', reference: 'demo' } as const;
  await creditCustomer(actorContext, customer, balance);
  // A secret is shown once, so a lost file means a new key.
  const keys = createKeyPair(deps.randomBytes);
  await createCredential(actorContext, deps.sealer, customer, keys, fillIn(CredentialFields, {}));
  await deps.snapshot.refresh();
  const credentials: DemoCredentials = {
    url: deps.url,
    ...keys,
    customer_no: customer.customer_no,
    template_no: templateNo,
    service_account_no: serviceAccountNo,
    channel_no: channelNo,
  };
  await save(path, credentials);
  return credentials;
}

/** After a killed `postrider demo-carrier` the demo points at a message centre that is gone; a running one is left alone. */
async function returnToSimulator(deps: DemoDeps): Promise<void> {
  const channels = await readChannels(deps.sql);
  const left = channels.find(({ name, status }) => isDemoCarrier(name) && status === 'active');
  const simulator = channels.find(({ kind, name }) => kind === 'simulator' && name === DEMO_NAME);
  if (left === undefined || simulator === undefined || (await isAnswered(left.config))) return;
  await changeChannel(actorContextFor(deps), deps.sealer, simulator.channel_no, () => ({ status: 'active' }));
  await changeChannel(actorContextFor(deps), deps.sealer, left.channel_no, () => ({ status: 'disabled' }));
  await deps.snapshot.refresh();
}

function isAnswered(config: Readonly<Record<string, unknown>>): Promise<boolean> {
  const { hostname: host, port } = addressOf(config);
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port), timeout: 1_000 });
    const end = (answer: boolean) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });
}

function addressOf({ url, host, port }: Readonly<Record<string, unknown>>): Pick<URL, 'hostname' | 'port'> {
  return typeof url === 'string' ? new URL(url) : { hostname: String(host), port: String(port) };
}

/** The file may be of another database, or its key revoked since. */
async function isUsable(deps: DemoDeps, saved: DemoCredentials): Promise<boolean> {
  const customer = await readCustomer(deps.sql, saved.customer_no);
  if (customer === undefined) return false;
  const keys = await readCredentials(deps.sql, customer.customerId);
  return keys.some((key) => key.api_key === saved.api_key && key.status === 'active');
}

async function findOrCreateCustomer(deps: DemoDeps): Promise<Customer | undefined> {
  const found = await findCustomerByName(deps.sql, DEMO_NAME);
  if (found !== undefined || (await hasCustomers(deps.sql))) return found;
  const terms = fillIn(CustomerFields, { name: DEMO_NAME, unit_price: DEMO_UNIT_PRICE });
  return createCustomer(actorContextFor(deps), formatNo('C', deps.nextId()), terms);
}

async function findOrCreateChannel(deps: DemoDeps): Promise<string> {
  await createFirm(actorContextFor(deps), DEMO_FIRM);
  const found = (await readChannels(deps.sql)).find(({ kind, name }) => kind === 'simulator' && name === DEMO_NAME);
  if (found !== undefined) return found.channel_no;
  const checked = deps.checkChannelConfig('simulator', { test_numbers: 'listed' });
  if ('faults' in checked) throw new Error('the simulator refuses its own defaults');
  const terms = fillIn(ChannelFields, { name: DEMO_NAME, kind: 'simulator', firms: [DEMO_FIRM.firm] });
  const channelNo = formatNo('H', deps.nextId());
  await createChannel(actorContextFor(deps), deps.sealer, channelNo, { ...terms, ...checked });
  return channelNo;
}

async function findOrCreateServiceAccount(deps: DemoDeps, customer: Customer): Promise<string> {
  const found = await readFirst(listServiceAccounts(deps.sql, customer.customerId));
  if (found !== undefined) return found.service_account_no;
  const terms = fillIn(ServiceAccountFields, { name: DEMO_NAME, sender: DEMO_SENDER });
  const account = await createServiceAccount(actorContextFor(deps), customer, formatNo('A', deps.nextId()), terms);
  return account.service_account_no;
}

/** Returns the number of the last one. */
async function findOrCreateTemplates(deps: DemoDeps, customer: Customer, serviceAccountNo: string): Promise<string> {
  const source = listTemplates(deps.sql, customer.customerId);
  const known = await source.rows({ after: undefined, offset: 0, limit: 100, oldestFirst: true });
  let templateNo = '';
  for (const template of DEMO_TEMPLATES) {
    const found = known.find(({ name }) => name === template.name);
    templateNo = found?.template_no ?? (await addTemplate(deps, customer, template, serviceAccountNo));
  }
  return templateNo;
}

async function addTemplate(
  deps: DemoDeps,
  customer: Customer,
  template: (typeof DEMO_TEMPLATES)[number],
  serviceAccountNo: string,
): Promise<string> {
  const terms = fillIn(TemplateFields, { ...template, service_account_no: serviceAccountNo });
  const outcome = await createTemplate(actorContextFor(deps), customer, formatNo('M', deps.nextId()), terms);
  if (outcome.kind !== 'ok') throw new Error(`a demo template was not stored: ${outcome.kind}`);
  return outcome.template.template_no;
}

/** In the audit log, it distinguishes the set-up from what people did. */
function actorContextFor({ sql }: DemoDeps): ActorContext {
  return { sql, actor: 'demo' };
}

/** The defaults of the operator API for all fields that the demo omits. */
function fillIn<Schema extends TSchema>(schema: Schema, given: object): Static<Schema> {
  const checked = checkFields(schema, given, { defaults: true });
  if (checked.faults !== undefined) throw new Error(`the demo is not as described: ${JSON.stringify(checked.faults)}`);
  return checked.value;
}

async function readFirst<Row>(source: ListSource<Row>): Promise<Row | undefined> {
  const [first] = await source.rows({ after: undefined, offset: 0, limit: 1 });
  return first;
}

async function readSaved(path: string): Promise<DemoCredentials | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as DemoCredentials;
  } catch {
    // The set-up writes a missing or incomplete file again.
    return undefined;
  }
}

/** Renamed into place, so that a reader never sees half of it. */
async function save(path: string, credentials: DemoCredentials): Promise<void> {
  // With an external database and secrets from the environment, the folder does not exist yet.
  await createDataFolder(dirname(path));
  const temporary = `${path}.new`;
  await writeFile(temporary, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  await rename(temporary, path);
}

function toMoney(text: string): Money {
  const money = parseMoney(text);
  if (money === undefined) throw new Error(`${text} is no amount`);
  return money;
}
