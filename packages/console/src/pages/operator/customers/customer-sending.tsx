// What a customer may send, through what, and at what price.

import { Group } from '@mantine/core';
import type { Customer, ServiceAccountRequest, TemplateRequest } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useMay } from '../../../api/identity.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import type { Field } from '../../../parts/forms/entity-form.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card, CardGrid } from '../../../parts/layout/page.js';
import { FailureState, LoadingState } from '../../../parts/layout/states.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { useWords } from '../../../words/say.js';
import { templateFieldsOf } from '../../template-fields.js';
import { useFirmChoices } from '../channels/firm-choices.js';
import styles from '../operator.module.css';
import { ChannelLink } from '../operator-links.js';
import { RoleNeeded } from '../role-needed.js';
import { AccountFilings } from './account-filings.js';
import { channelChoices, compareHealth, stateOf } from './channel-choices.js';
import { accountFields } from './customer-fields.js';
import { CustomerPrices } from './customer-prices.js';
import { TemplatePreview } from './template-preview.js';

const showPreview = ({ body = '' }: Readonly<Record<string, string>>) => <TemplatePreview body={body} />;

export function CustomerSending({ customer }: { readonly customer: Customer }): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const mayConfigure = useMay('configure');
  const firms = useFirmChoices();
  const no = customer.customer_no;
  const { data, error } = useQuery({
    queryKey: ['sending', no],
    queryFn: async ({ signal }) => {
      const options = { pageSize: 100, signal };
      const [grants, prices, accounts, templates, channels] = await Promise.all([
        operator.grants(no, options).page(),
        operator.prices(no, options).page(),
        operator.serviceAccounts(no, options).page(),
        operator.templates(no, options).page(),
        operator.channels(options).page(),
      ]);
      return {
        grants: grants.items,
        prices: prices.items,
        accounts: accounts.items,
        templates: templates.items,
        channels: channels.items,
      };
    },
  });
  if (data === undefined) return <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>;
  const granted = new Set(data.grants.map((grant) => grant.channel_no));
  const grantable = channelChoices(
    say,
    data.channels.filter((channel) => !granted.has(channel.channel_no)),
  );
  const channelsByNo = new Map(data.channels.map((channel) => [channel.channel_no, channel]));
  // The healthy ones first, as messages choose them; a channel beyond the first hundred has no state here.
  const grants = data.grants
    .map((grant) => ({ ...grant, channel: channelsByNo.get(grant.channel_no) }))
    .toSorted(({ channel: one }, { channel: other }) =>
      one && other ? compareHealth(one, other) : Number(!one) - Number(!other),
    );
  const statuses = (['active', 'disabled'] as const).map((value) => ({ value, label: say(`status.${value}`) }));
  const status: Field = {
    name: 'status',
    label: say('record.status'),
    kind: 'choice',
    isRequired: true,
    choices: statuses,
  };
  const accountForm = accountFields(say);
  const accountChoices = data.accounts.map(({ service_account_no: value, name }) => ({
    value,
    label: `${name} · ${value}`,
  }));
  const templateFields: readonly Field[] = [
    ...Object.values(templateFieldsOf(say)),
    {
      name: 'service_account_no',
      label: say('task.serviceAccount'),
      kind: 'choice',
      isRequired: true,
      choices: accountChoices,
    },
    {
      name: 'firms',
      label: say('sending.approved'),
      hint: say('task.everyFirm'),
      kind: 'choices',
      choices: firms,
      emptyIs: null,
    },
  ];
  /** The button of a row that changes what the row shows. */
  const change = (name: string) => ({
    label: say('form.change'),
    title: say('form.changeOf', { name }),
    submit: say('form.save'),
    isChange: true,
    isCompact: true,
  });
  return (
    <>
      {!mayConfigure && (
        <div className={styles.note}>
          <RoleNeeded
            actions={[
              [say('sending.grant'), 'configure'],
              [say('sending.addAccount'), 'configure'],
              [say('sending.addTemplate'), 'configure'],
              [say('sending.price'), 'configure'],
            ]}
          />
        </div>
      )}
      <CardGrid columns={2}>
        <Card
          title={say('sending.grants')}
          side={
            mayConfigure && (
              <FormDialog
                label={say('sending.grant')}
                fields={[
                  {
                    name: 'channel_no',
                    label: say('field.channel_no'),
                    kind: 'choice',
                    isRequired: true,
                    choices: grantable,
                  },
                ]}
                initial={{ channel_no: grantable[0]?.value }}
                onSubmit={(body) => operator.grantChannel(no, String(body.channel_no))}
              />
            )
          }
        >
          <PlainTable
            label={say('sending.grants')}
            none={say('sending.noGrants')}
            rows={grants.map((grant) => ({
              [say('channels.name')]: <ChannelLink channelNo={grant.channel_no} />,
              [say('channels.health')]: grant.channel && <StatusLabel key="health" status={stateOf(grant.channel)} />,
              [say('channels.number')]: <code>{grant.channel_no}</code>,
              ...(mayConfigure && {
                [say('sending.revoke')]: (
                  <ConfirmButton
                    key="revoke"
                    label={say('sending.revoke')}
                    title={say('sending.revokeOf', { channel: grant.channel_no })}
                    hint={say('sending.revokeHint')}
                    isCompact
                    onConfirm={() => operator.revokeGrant(no, grant.channel_no)}
                  />
                ),
              }),
            }))}
          />
        </Card>
        <Card
          id="senders"
          title={say('sending.accounts')}
          side={
            mayConfigure && (
              <FormDialog
                label={say('sending.addAccount')}
                fields={accountForm}
                onSubmit={(body) => operator.createServiceAccount(no, body as unknown as ServiceAccountRequest)}
              />
            )
          }
        >
          <PlainTable
            label={say('sending.accounts')}
            none={say('sending.noAccounts')}
            rows={data.accounts.map((account) => ({
              [say('customers.name')]: account.name,
              [say('sending.sender')]: account.sender,
              [say('record.status')]: <StatusLabel key="status" status={account.status} />,
              [say('sending.signature')]: account.signature,
              ' ': mayConfigure && (
                <Group gap="xs" wrap="nowrap">
                  <AccountFilings customerNo={no} account={account} channels={data.channels} />
                  <FormDialog
                    {...change(account.name)}
                    fields={[...accountForm, status]}
                    initial={{ ...account }}
                    onSubmit={(body) => operator.updateServiceAccount(no, account.service_account_no, body)}
                  />
                </Group>
              ),
            }))}
          />
        </Card>
      </CardGrid>
      <CardGrid columns={1}>
        <Card
          id="templates"
          title={say('sending.templates')}
          side={
            mayConfigure && (
              <FormDialog
                label={say('sending.addTemplate')}
                fields={templateFields}
                initial={{ class: 'notice', service_account_no: accountChoices[0]?.value }}
                renderOutlook={showPreview}
                onSubmit={(body) => operator.createTemplate(no, body as unknown as TemplateRequest)}
              />
            )
          }
        >
          <PlainTable
            label={say('sending.templates')}
            none={say('sending.noTemplates')}
            rows={data.templates.map((template) => ({
              [say('customers.name')]: <span className={styles.name}>{template.name}</span>,
              [say('tasks.filter.template')]: <code key="no">{template.template_no}</code>,
              [say('class.title')]: say(`class.${template.class}`),
              [say('sending.text')]: <span className={styles.text}>{template.body}</span>,
              [say('sending.approved')]: (
                <span className={styles.text}>{template.firms?.join(', ') ?? say('task.everyFirm')}</span>
              ),
              [say('record.status')]: <StatusLabel key="status" status={template.status} />,
              ' ': mayConfigure && (
                <FormDialog
                  {...change(template.name)}
                  fields={[...templateFields, status]}
                  initial={{ ...template, status: template.status === 'disabled' ? 'disabled' : 'active' }}
                  renderOutlook={showPreview}
                  onSubmit={(body) => operator.updateTemplate(no, template.template_no, body)}
                />
              ),
            }))}
          />
        </Card>
        <CustomerPrices customer={customer} prices={data.prices} firms={firms} />
      </CardGrid>
    </>
  );
}
