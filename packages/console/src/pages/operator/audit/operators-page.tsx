import { Stack } from '@mantine/core';
import type { Operator, OperatorRequest, OperatorRole } from '@postrider/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { useIdentity, useMay } from '../../../api/identity.js';
import { operatorsOf } from '../../../api/operator-lists.js';
import { useRows } from '../../../api/rows.js';
import { ConfirmDialog } from '../../../parts/forms/confirm-dialog.js';
import { ChoiceField } from '../../../parts/forms/field.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { SecretOnce } from '../../../parts/forms/secret-once.js';
import { Card, Page } from '../../../parts/layout/page.js';
import { ProblemText, State } from '../../../parts/layout/states.js';
import { removalColumn } from '../../../parts/tables/removal-column.js';
import { RowsTable } from '../../../parts/tables/rows-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { sayValue, useWords } from '../../../words/say.js';
import { RoleNeeded } from '../role-needed.js';

const ROLES: readonly OperatorRole[] = ['admin', 'support', 'finance', 'viewer'];

/** Who else runs the platform, and what each may do. */
export function OperatorsPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const identity = useIdentity();
  const mayAdminister = useMay('administer');
  const queryClient = useQueryClient();
  const [token, setToken] = useState<string>();
  const source = useRows(operatorsOf(operator));
  const refresh = () => queryClient.invalidateQueries();
  const [asked, setAsked] = useState<{ readonly operator: Operator; readonly role: OperatorRole }>();
  const change = useMutation({
    mutationFn: ({ no, role }: { readonly no: string; readonly role: OperatorRole }) =>
      operator.updateOperator(no, { role }),
    onSettled: refresh,
  });
  const nameRole = (role: OperatorRole) => sayValue(say, 'roleName', role);
  const roleNames = ROLES.map((value) => ({ value, label: sayValue(say, 'roleName', value) }));
  const roleChoices = ROLES.map((value) => ({ value, label: sayValue(say, 'role', value) }));
  const remove = removalColumn(({ operator_no: no, name, status }: Operator) =>
    status === 'removed'
      ? undefined
      : {
          label: say('operators.remove'),
          title: say('operators.removeOf', { name }),
          hint: say('operators.removeHint'),
          onConfirm: () => operator.removeOperator(no),
        },
  );
  return (
    <Page
      title={say('nav.operators')}
      lead={identity && say('operators.you', { name: identity.name, role: sayValue(say, 'role', identity.role) })}
      actions={
        mayAdminister ? (
          <FormDialog
            label={say('operators.add')}
            isPrimary
            fields={[
              {
                name: 'name',
                label: say('customers.name'),
                hint: say('operators.nameHint'),
                kind: 'text',
                isRequired: true,
              },
              { name: 'role', label: say('operators.role'), kind: 'choice', isRequired: true, choices: roleChoices },
            ]}
            initial={{ role: 'viewer' }}
            onSubmit={async (body) => {
              const made = await operator.createOperator(body as unknown as OperatorRequest);
              setToken(made.token);
            }}
          />
        ) : (
          <RoleNeeded
            actions={[
              [say('operators.add'), 'administer'],
              [say('operators.remove'), 'administer'],
            ]}
          />
        )
      }
    >
      <Stack>
        {token !== undefined && <SecretOnce name={say('session.token')} value={token} />}
        {change.error !== null && <ProblemText error={change.error} />}
        <Card isFlush>
          <RowsTable
            label={say('nav.operators')}
            source={source}
            keyOf={({ operator_no: no }) => no}
            rowHeight={48}
            mayBeMissing
            empty={<State icon="operators" title={say('operators.empty')} hint={say('operators.emptyHint')} />}
            columns={[
              {
                id: 'name',
                title: say('customers.name'),
                width: 'minmax(7rem, 1fr)',
                render: ({ name }) => <span title={name}>{name}</span>,
                renderNote: ({ status }) => <StatusLabel status={status} />,
              },
              {
                id: 'role',
                title: say('operators.role'),
                width: '9rem',
                narrowWidth: '7rem',
                render: (row) =>
                  mayAdminister && row.status !== 'removed' ? (
                    <ChoiceField
                      aria-label={`${say('operators.role')}: ${row.name}`}
                      isSmall
                      value={row.role}
                      choices={roleNames}
                      onChange={(event) => setAsked({ operator: row, role: event.currentTarget.value as OperatorRole })}
                    />
                  ) : (
                    nameRole(row.role)
                  ),
              },
              {
                id: 'status',
                title: say('record.status'),
                width: '7rem',
                isWideOnly: true,
                render: ({ status }) => <StatusLabel status={status} />,
              },
              {
                id: 'created',
                title: say('tasks.column.created'),
                width: '10.5rem',
                isWideOnly: true,
                isEnd: true,
                render: (row) => <Moment at={row.created_at} />,
              },
              ...(mayAdminister ? [remove] : []),
            ]}
          />
        </Card>
        <ConfirmDialog
          title={asked && say('users.roleOf', { name: asked.operator.name, role: nameRole(asked.role) })}
          hint={asked && say('users.roleHint', { before: nameRole(asked.operator.role), after: nameRole(asked.role) })}
          confirm={say('users.changeRole')}
          onClose={() => setAsked(undefined)}
          onConfirm={() => asked && change.mutate({ no: asked.operator.operator_no, role: asked.role })}
        />
      </Stack>
    </Page>
  );
}
