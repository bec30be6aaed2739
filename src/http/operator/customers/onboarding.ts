// A customer with everything that it needs to send: the single calls in one transaction.

import { type Static, Type } from '@sinclair/typebox';
import { CredentialFields } from '../../../domain/entities/credential.js';
import { NewCustomerFields } from '../../../domain/entities/customer.js';
import { closedObject, line } from '../../../domain/entities/fields.js';
import { RateFields } from '../../../domain/entities/rate.js';
import { ServiceAccountFields } from '../../../domain/entities/service-account.js';
import { TemplateFields } from '../../../domain/entities/template.js';
import { GrantFields } from '../../../domain/entities/terms-of-use.js';
import { CustomerUserFields } from '../../../domain/entities/user.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { createFault, type Fault } from '../../../domain/fault/fault.js';
import { formatNo } from '../../../domain/id.js';
import { toPlain } from '../../../domain/plain.js';
import { checkSendWindows } from '../../../domain/rules/check-send-windows.js';
import { scopeOf } from '../../../store/condition.js';
import { listLedgers } from '../../../store/lists/ledgers.js';
import { type ActorContext, changeConfiguration } from '../../../store/operator/change.js';
import { findUnknownChannels } from '../../../store/operator/channel.js';
import { createCredential, createKeyPair, readCredentials } from '../../../store/operator/credential.js';
import { creditCustomer } from '../../../store/operator/credit.js';
import { createCustomer, readCustomer } from '../../../store/operator/customer.js';
import { createGrant, readGrants } from '../../../store/operator/grant.js';
import { type Onboarded, readOnboarding, recordOnboarding } from '../../../store/operator/onboarding.js';
import { createRate, readRates } from '../../../store/operator/rate.js';
import { createServiceAccount, readServiceAccount } from '../../../store/operator/service-account.js';
import { createTemplate, readTemplate } from '../../../store/operator/templates/template.js';
import { readUser } from '../../../store/user/user.js';
import { checkBody } from '../../body/check-body.js';
import { LedgerEntrySchema } from '../../customer/schemas/money.js';
import { invalidRequest, Problem } from '../../problem/problem.js';
import { CredentialAnswer, findExpiryFaults, showCredential, tooManyKeys } from '../../resources/credential-answers.js';
import { orNull, ServiceAccountAnswer, TemplateAnswer } from '../../resources/entity-answers.js';
import { renderLedgerEntry } from '../../resources/ledger-view.js';
import { createInvitedUser, renderUser, type UserDeps, userAnswers } from '../../resources/user-actions.js';
import { CustomerAnswer, GrantAnswer, PriceAnswer } from '../answers.js';
import {
  actorContextFor,
  defineOperation,
  type OperatorCall,
  type OperatorDeps,
  type OperatorRoute,
  refreshConfiguration,
} from '../operator-route.js';
import { checkDate, withStoredPrefix } from '../rates.js';
import { requireFirms } from '../routing/require-firms.js';
import { CreateTopup } from '../schemas.js';
import { checkText, renderTemplate } from '../templates/templates.js';
import { explainBucket, findTimeZoneFaults, renderCustomer } from './customers.js';
import { renderServiceAccount } from './service-accounts.js';

const { service_account_no: _, ...templateFields } = TemplateFields.properties;

const MAX_REFERENCE = 128;

const OnboardingFields = closedObject({
  reference: Type.Optional(
    line(MAX_REFERENCE, 'Unique: repeating it makes nothing and answers what the first one made.'),
  ),
  customer: NewCustomerFields,
  channels: Type.Array(GrantFields, {
    maxItems: 100,
    default: [],
    description: 'Channels that are granted to it.',
  }),
  prices: Type.Array(RateFields, { maxItems: 1000, default: [], description: 'Its prices beside `unit_price`.' }),
  service_account: Type.Optional(ServiceAccountFields),
  template: Type.Optional(
    closedObject(templateFields, { description: 'Needs `service_account`, which its messages come from.' }),
  ),
  user: Type.Optional(CustomerUserFields),
  topup: Type.Optional(CreateTopup),
  credential: Type.Optional(CredentialFields),
});
type OnboardingTerms = Static<typeof OnboardingFields>;

const secret = (description: string) => orNull(Type.String({ description: `${description} Shown this once.` }));

const OnboardingAnswer = Type.Object(
  {
    customer: CustomerAnswer,
    channels: Type.Array(GrantAnswer),
    prices: Type.Array(PriceAnswer),
    service_account: orNull(ServiceAccountAnswer),
    template: orNull(TemplateAnswer),
    user: orNull(
      Type.Composite([
        userAnswers.customer,
        Type.Object({ invitation_url: secret('Where the user chooses a password.') }),
      ]),
    ),
    topup: orNull(LedgerEntrySchema),
    credential: orNull(
      Type.Composite([CredentialAnswer, Type.Object({ api_secret: secret('What requests are signed with.') })]),
    ),
  },
  { $id: 'Onboarding', description: 'What was made; null for what was not asked for.' },
);

/** Known once: when they are made. */
interface Secrets {
  readonly invitation_url: string | null;
  readonly api_secret: string | null;
}

const NO_SECRETS: Secrets = { invitation_url: null, api_secret: null };

export function createOnboardingRoute(deps: OperatorDeps): OperatorRoute {
  return defineOperation({
    method: 'POST',
    path: '/onboardings',
    name: 'createOnboarding',
    permission: 'configure',
    tag: 'Customers',
    summary: 'Create a customer with all that it needs to send',
    description:
      'The bodies of the single calls in one: all of it is made, or nothing. With a `reference` a repeat makes nothing and answers what there is, without the secrets.',
    body: {
      schema: OnboardingFields,
      example: {
        reference: 'contract-4711',
        customer: { name: 'Ann', unit_price: '0.050000' },
        channels: [{ channel_no: 'H…' }],
        service_account: { name: 'Orders', sender: '10690001' },
        template: { name: 'Hello', body: 'Hello {p1}' },
        user: { email: 'ann@example.com', name: 'Ann', role: 'admin' },
        topup: { amount: '100.000000' },
        credential: {},
      },
    },
    answer: { status: 201, schema: OnboardingAnswer, description: 'What was made, with secrets shown this once.' },
    problems: ['already_exists', 'firm_unavailable'],
    handle: async (call) => {
      const before = await findOnboarding(deps, call.body);
      const terms = checkBody(OnboardingFields, call.body, {
        defaults: true,
        // Only of what is not made yet: its times may be over when it is repeated.
        refine: (body) => [
          ...checkRules(body, call.body),
          ...(before === undefined ? checkTimes(body, deps.now()) : []),
        ],
      });
      if (before === undefined) await requireKnown(deps, terms);
      const { made, secrets } = before === undefined ? await onboard(deps, call, terms) : { made: before };
      if (secrets === undefined) call.reply.header('Idempotent-Replayed', 'true');
      else await refreshConfiguration(deps);
      return showOnboarded(deps, made, secrets ?? NO_SECRETS);
    },
  });
}

/** What a request with the reference of this body made, which may have other faults. */
async function findOnboarding({ sql }: OperatorDeps, body: unknown): Promise<Onboarded | undefined> {
  const { reference } = Object(body) as { readonly reference?: unknown };
  if (typeof reference !== 'string' || reference.length > MAX_REFERENCE || reference.includes('\0')) return undefined;
  return await readOnboarding(sql, reference);
}

/** What the body names must exist. */
async function requireKnown(
  deps: OperatorDeps,
  { customer, channels, prices, template }: OnboardingTerms,
): Promise<void> {
  const [zoneFaults, unknownChannels] = await Promise.all([
    findTimeZoneFaults(deps, customer.billing_time_zone),
    findUnknownChannels(
      deps.sql,
      channels.map(({ channel_no }) => channel_no),
    ),
  ]);
  const channelFaults = channels.flatMap(({ channel_no }, at) =>
    unknownChannels.has(channel_no)
      ? [createFault(`/channels/${at}/channel_no`, 'out_of_range', errorText('unknown_channel'))]
      : [],
  );
  const faults = [...below('/customer', zoneFaults), ...channelFaults];
  if (faults.length > 0) throw invalidRequest(faults);
  await requireFirms(deps, [...prices.map(({ firm }) => firm), ...(template?.firms ?? [])]);
}

function checkTimes({ prices = [], credential }: Partial<OnboardingTerms>, nowMs: number): Fault[] {
  return [
    ...prices.flatMap(({ valid_from }, at) => below(`/prices/${at}`, checkDate(valid_from, nowMs))),
    ...below('/credential', findExpiryFaults(credential ?? {}, nowMs)),
  ];
}

function checkRules(body: Partial<OnboardingTerms>, given: unknown): Fault[] {
  const { customer } = given as { readonly customer?: unknown };
  const faults = below('/customer', checkSendWindows(customer));
  if (body.template === undefined) return faults;
  const unaccounted =
    body.service_account === undefined
      ? [createFault('/template', 'requires', errorText('template_requires_service_account'))]
      : [];
  return [...faults, ...unaccounted, ...below('/template', checkText(body.template))];
}

function below(parent: string, faults: readonly Fault[]): Fault[] {
  return faults.map((fault) => ({ ...fault, pointer: parent + fault.pointer }));
}

/** Without secrets where it had been made before. */
async function onboard(
  deps: OperatorDeps,
  call: OperatorCall,
  terms: OnboardingTerms,
): Promise<{ readonly made: Onboarded; readonly secrets?: Secrets }> {
  const context = actorContextFor(deps, call);
  // Sent once the commit has made the link true.
  let mails: Parameters<NonNullable<UserDeps['sendUserMail']>>[0][] = [];
  const inviting = { ...deps, sendUserMail: async (mail: (typeof mails)[number]) => void mails.push(mail) };
  const onboarded = await changeConfiguration(context, async (change) => {
    mails = [];
    const { reference } = terms;
    const before = reference === undefined ? undefined : await readOnboarding(change.tx, reference);
    if (before !== undefined) return { made: before };
    const created = await createAll(inviting, call, { ...context, within: change }, terms);
    if (reference !== undefined) await recordOnboarding(change.tx, reference, created.made);
    return created;
  });
  for (const mail of mails) void deps.sendUserMail?.(mail);
  return onboarded;
}

async function createAll(deps: OperatorDeps, call: OperatorCall, acting: ActorContext, terms: OnboardingTerms) {
  const { bucket, ...customerTerms } = terms.customer;
  const customerNo = formatNo('C', deps.nextId());
  const customer = await createCustomer(acting, customerNo, customerTerms, bucket).catch((error) =>
    explainBucket(error, '/customer'),
  );
  for (const { channel_no } of terms.channels) await createGrant(acting, customer, channel_no);
  const owner = { kind: 'price', id: customer.customerId, no: customerNo } as const;
  for (const price of terms.prices) {
    if ((await createRate(acting, owner, withStoredPrefix(price))) === undefined) {
      throw new Problem('already_exists', errorText('price_exists', { firm: price.firm }));
    }
  }
  const account =
    terms.service_account &&
    (await createServiceAccount(acting, customer, formatNo('A', deps.nextId()), terms.service_account));
  const templateNo = terms.template && account ? formatNo('M', deps.nextId()) : null;
  if (terms.template && account && templateNo !== null) {
    const { service_account_no } = account;
    await createTemplate(acting, customer, templateNo, { ...terms.template, service_account_no });
  }
  const side = { side: 'customer', customerId: customer.customerId, customerNo } as const;
  const user = terms.user && (await createInvitedUser(deps, acting, side, terms.user, call.request));
  const { amount, remark, reference } = terms.topup ?? {};
  if (amount !== undefined) {
    const noted = { ...(remark === undefined ? {} : { remark }), ...(reference === undefined ? {} : { reference }) };
    await creditCustomer(acting, customer, { type: 'topup', amount, ...noted });
  }
  const keys = terms.credential && createKeyPair(deps.randomBytes);
  if (terms.credential && keys) {
    const credential = await createCredential(acting, deps.sealer, customer, keys, terms.credential);
    if (credential === undefined) throw tooManyKeys();
  }
  const made: Onboarded = {
    customer_no: customerNo,
    service_account_no: account?.service_account_no ?? null,
    template_no: templateNo,
    user_no: user?.user_no ?? null,
    api_key: keys?.api_key ?? null,
    is_topped_up: amount !== undefined,
  };
  const secrets: Secrets = { invitation_url: user?.invitation_url ?? null, api_secret: keys?.api_secret ?? null };
  return { made, secrets };
}

/** As it is now: a repeat may come long after. */
async function showOnboarded({ sql, now }: OperatorDeps, made: Onboarded, { invitation_url, api_secret }: Secrets) {
  const customer = await readCustomer(sql, made.customer_no);
  if (customer === undefined) throw new Error(`customer ${made.customer_no} was onboarded and is gone`);
  const { customerId, customer_no, terms } = customer;
  const side = { side: 'customer', customerId, customerNo: customer_no } as const;
  const account = made.service_account_no && (await readServiceAccount(sql, customerId, made.service_account_no));
  const template = made.template_no && (await readTemplate(sql, customerId, made.template_no));
  const user = made.user_no && (await readUser(sql, side, made.user_no));
  const credential = (await readCredentials(sql, customerId)).find(({ api_key }) => api_key === made.api_key);
  const topups = listLedgers(sql, scopeOf(customer, { startMs: undefined, endMs: undefined }), { type: 'topup' });
  const [topup] = made.is_topped_up
    ? await topups.rows({ after: undefined, offset: 0, limit: 1, oldestFirst: true })
    : [];
  return {
    customer: renderCustomer(customer),
    channels: (await readGrants(sql, customerId)).map(toPlain),
    prices: (await readRates(sql, { kind: 'price', id: customerId, no: customer_no })).map(toPlain),
    service_account: account ? renderServiceAccount(account) : null,
    template: template ? renderTemplate(template) : null,
    user: user ? { ...renderUser(user), invitation_url } : null,
    topup: topup ? renderLedgerEntry(topup, terms.currency) : null,
    credential: credential ? { ...showCredential(credential, now()), api_secret } : null,
  };
}
