// One list of rules of a customer as a table, with forms to add and change an entry and a question before one is removed. The list
// is stored as a whole. Fields are named by their place in it, so that a fault stands at the field of its entry.

import type { ReactElement } from 'react';
import { useMay } from '../../../api/identity.js';
import { ConfirmButton } from '../../../parts/forms/confirm-button.js';
import type { Field, FieldValues } from '../../../parts/forms/entity-form.js';
import { FormDialog } from '../../../parts/forms/form-dialog.js';
import { Card } from '../../../parts/layout/page.js';
import { type PlainRow, PlainTable } from '../../../parts/tables/plain-table.js';
import { useWords } from '../../../words/say.js';
import { RoleNeeded } from '../role-needed.js';

interface RuleListProps<Entry extends object> {
  /** Of the customer, such as `caps`. */
  readonly name: string;
  readonly title: string;
  readonly none: string;
  readonly add: string;
  readonly entries: readonly Entry[];
  /** What a new entry begins with. */
  readonly initial: FieldValues;
  /** Of one entry. */
  readonly fields: readonly Field[];
  readonly rowOf: (entry: Entry) => PlainRow;
  readonly nameOf: (entry: Entry) => string;
  /** From what the form has to an entry. */
  readonly read: (values: FieldValues) => FieldValues;
  readonly store: (entries: readonly (Entry | FieldValues)[]) => Promise<unknown>;
}

export function RuleList<Entry extends object>(props: RuleListProps<Entry>): ReactElement {
  const { name, title, none, add, entries, initial, fields, rowOf, nameOf, read, store } = props;
  const say = useWords();
  const mayConfigure = useMay('configure');
  const formAt = (at: number, given: object) => ({
    fields: fields.map((field) => ({ ...field, name: `${name}.${at}.${field.name}` })),
    initial: { [name]: { [at]: given } },
    onSubmit: (body: FieldValues) => {
      const entry = read((body[name] as FieldValues | undefined)?.[at] as FieldValues);
      return store([...entries.slice(0, at), entry, ...entries.slice(at + 1)]);
    },
  });
  return (
    <Card
      title={title}
      side={
        mayConfigure ? (
          <FormDialog label={add} {...formAt(entries.length, initial)} />
        ) : (
          <RoleNeeded actions={[[add, 'configure']]} />
        )
      }
    >
      <PlainTable
        label={title}
        none={none}
        rows={entries.map((entry, at) => ({
          ...rowOf(entry),
          ' ': mayConfigure && (
            <FormDialog
              label={say('form.change')}
              title={say('form.changeOf', { name: nameOf(entry) })}
              submit={say('form.save')}
              isCompact
              {...formAt(at, entry)}
            />
          ),
          '  ': mayConfigure && (
            <ConfirmButton
              label={say('rules.remove')}
              title={say('rules.removeOf', { name: nameOf(entry) })}
              hint={say('rules.removeHint')}
              isCompact
              onConfirm={() => store(entries.filter((other) => other !== entry))}
            />
          ),
        }))}
      />
    </Card>
  );
}
