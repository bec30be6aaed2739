// A customer with all that it needs to send, in one form and one call.

import { Stack } from '@mantine/core';
import type { Channel, Onboarding, OnboardingRequest } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { ButtonLink } from '../../../parts/controls/button.js';
import { EntityForm, type Field, type FieldValues } from '../../../parts/forms/entity-form.js';
import { SecretOnce } from '../../../parts/forms/secret-once.js';
import { BackLink } from '../../../parts/layout/back-link.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { type Say, useWords } from '../../../words/say.js';
import { MadeKey } from '../../credentials/credentials-card.js';
import { templateFieldsOf } from '../../template-fields.js';
import { CUSTOMER_ROLES } from '../../users/users-page.js';
import { creditFields } from '../money/credit-fields.js';
import { RoleNeeded } from '../role-needed.js';
import { channelChoices, stateOf } from './channel-choices.js';
import { accountFields, customerFields } from './customer-fields.js';
import { CustomerSteps } from './customer-steps.js';

/** As the service has them, so that the form shows what a customer gets. */
const DEFAULTS = {
  currency: 'CNY',
  billing_mode: 'prepaid',
  credit_limit: '0',
  charge_on: 'submit',
  policy: { prepare: 'by_request', freeze: 'by_request', submit: 'by_request' },
  billing_time_zone: 'UTC',
  requests_per_second: 1000,
};

export function NewCustomerPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const [made, setMade] = useState<Onboarding>();
  // The same for all attempts of this form: one whose answer was lost is not made twice.
  const [reference] = useState(() => `console-${crypto.randomUUID()}`);
  const { data: channels, error } = useQuery({
    queryKey: ['channel-choices'],
    queryFn: async ({ signal }) => (await operator.channels({ pageSize: 100, signal }).page()).items,
  });
  const above = <BackLink to="/operator/customers">{say('nav.customers')}</BackLink>;
  if (made !== undefined) return <Made made={made} />;
  const form = () => {
    if (!mayConfigure) return <RoleNeeded actions={[[say('customers.new'), 'configure']]} />;
    if (channels === undefined) return error === null ? <LoadingState lines={8} /> : <FailureState error={error} />;
    return (
      <EntityForm
        fields={fieldsOf(say, channels)}
        initial={{
          customer: DEFAULTS,
          channels: chooseChannels(channels),
          template: { class: 'notice' },
          user: { role: 'admin' },
        }}
        submit={say('onboarding.create')}
        onSubmit={async (values) => setMade(await operator.createOnboarding(toRequest(values, channels, reference)))}
      />
    );
  };
  return (
    <Page title={say('customers.new')} lead={say('onboarding.lead')} above={above}>
      <Card>{form()}</Card>
    </Page>
  );
}

/** The one that works, where there is no choice to make. */
function chooseChannels(channels: readonly Channel[]): readonly string[] {
  const up = channels.filter((channel) => stateOf(channel) === 'up');
  return up.length === 1 ? up.map(({ channel_no: no }) => no) : [];
}

function fieldsOf(say: Say, channels: readonly Channel[]): readonly Field[] {
  const within = (section: string, parent: string, fields: readonly Field[]): readonly Field[] =>
    fields.map((field) => ({ ...field, name: `${parent}.${field.name}`, section }));
  const optional = (fields: readonly Field[], ...names: readonly string[]) =>
    fields.filter(({ name }) => names.includes(name)).map((field) => ({ ...field, isRequired: false }));
  const { class: messageClass, ...text } = templateFieldsOf(say);
  const email: Field = { name: 'email', label: say('session.email'), kind: 'text' };
  const name: Field = { name: 'name', label: say('customers.name'), kind: 'text' };
  const role: Field = {
    name: 'role',
    label: say('operators.role'),
    kind: 'choice',
    isRequired: true,
    choices: CUSTOMER_ROLES.map((value) => ({ value, label: say(`customerRole.${value}`) })),
  };
  return [
    ...within(say('onboarding.customer'), 'customer', customerFields(say, true)),
    {
      name: 'channels',
      label: say('onboarding.channels'),
      kind: 'choices',
      choices: channelChoices(say, channels),
      section: say('onboarding.channels'),
    },
    ...reachedFirms(channels).map(
      (firm, at): Field => ({
        name: PRICE_OF + at,
        label: say('onboarding.priceOf', { firm }),
        hint: say('sending.noPrices'),
        kind: 'text',
        isFolded: true,
      }),
    ),
    ...within(say('onboarding.sender'), 'service_account', optional(accountFields(say), 'name', 'sender', 'signature')),
    ...within(say('onboarding.template'), 'template', [...optional(Object.values(text), 'name', 'body'), messageClass]),
    ...within(say('onboarding.user'), 'user', [email, name, role]),
    ...within(say('onboarding.topUp'), 'topup', optional(creditFields(say, ''), 'amount', 'remark')),
    {
      name: 'credential',
      label: say('onboarding.apiKey'),
      kind: 'switch',
      section: say('onboarding.access'),
    },
  ];
}

/** A price of its own for each firm that a channel reaches, by position: the name of a firm may hold a dot, which parts names of fields. */
const PRICE_OF = 'price ';

function reachedFirms(channels: readonly Channel[]): readonly string[] {
  return [...new Set(channels.filter(({ status }) => status === 'active').flatMap(({ firms }) => firms))];
}

/** What was left empty is not made. */
function toRequest(values: FieldValues, channels: readonly Channel[], reference: string): OnboardingRequest {
  const { customer, channels: granted, service_account, template, user, topup, credential } = values;
  const prices = reachedFirms(channels).flatMap((firm, at) => {
    const price = values[PRICE_OF + at];
    return price === undefined ? [] : [{ firm, unit_price: price }];
  });
  const given = (part: unknown, ...names: readonly string[]) =>
    names.some((name) => ((part as FieldValues | undefined)?.[name] ?? null) !== null);
  return {
    reference,
    customer,
    channels: (granted as readonly string[]).map((channel_no) => ({ channel_no })),
    prices,
    ...(given(service_account, 'name', 'sender', 'signature') && { service_account }),
    ...(given(template, 'name', 'body') && { template }),
    ...(given(user, 'email', 'name') && { user }),
    ...(given(topup, 'amount', 'remark') && { topup }),
    ...(credential === true && { credential: {} }),
  } as unknown as OnboardingRequest;
}

function Made({ made: { customer, user, credential } }: { readonly made: Onboarding }): ReactElement {
  const say = useWords();
  const { customer_no: customerNo, name } = customer;
  return (
    <Page
      title={say('onboarding.made', { name })}
      above={<BackLink to="/operator/customers">{say('nav.customers')}</BackLink>}
      actions={
        <ButtonLink to="/operator/customers/$customerNo" params={{ customerNo }}>
          {say('onboarding.open', { name })}
        </ButtonLink>
      }
    >
      <Stack>
        {user?.invitation_url && <SecretOnce name={say('users.link')} value={user.invitation_url} />}
        {credential?.api_secret && (
          <MadeKey made={{ api_key: credential.api_key, api_secret: credential.api_secret }} />
        )}
        <CustomerSteps customerNo={customerNo} />
      </Stack>
    </Page>
  );
}
