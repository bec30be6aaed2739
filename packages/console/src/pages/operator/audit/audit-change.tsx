// What an entry of the audit log says was changed: field by field, with what was there before where that is known.

import type { ReactElement, ReactNode } from 'react';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { Moment } from '../../../parts/values/moment.js';
import { useWords } from '../../../words/say.js';
import styles from '../operator.module.css';
import { nameField } from './field-names.js';
import { isDifference, isMoment, showValue, spreadChange } from './show-change.js';

/** Where a long name may go on in the next line: behind a dot or an underscore rather than within a word. */
function breakName(name: string): ReactNode[] {
  return name.split(/(?<=[._])/).flatMap((piece, index) => (index === 0 ? [piece] : [<wbr key={piece} />, piece]));
}

/** As the forms call it, with the name in the API where a pointer rests. */
function FieldName({ name }: { readonly name: string }): ReactElement {
  const named = nameField(useWords(), name);
  return named === undefined ? <code>{breakName(name)}</code> : <span title={name}>{named}</span>;
}

/** As people read it; as it came where a pointer rests. */
function Value({ value }: { readonly value: unknown }): ReactElement {
  if (isMoment(value)) return <Moment at={value} />;
  const isList = typeof value === 'object' && value !== null;
  return (
    <span className={styles.value} {...(isList && { title: JSON.stringify(value) })}>
      {showValue(value)}
    </span>
  );
}

/** As a table. What was created has no before. */
export function AuditChange({ change }: { readonly change: Readonly<Record<string, unknown>> }): ReactElement {
  const say = useWords();
  const entries = spreadChange(change);
  const hasBefore = entries.some(([, value]) => isDifference(value));
  const rows = entries.map(([name, value]) => ({
    [say('audit.field')]: <FieldName name={name} />,
    ...(hasBefore ? { [say('audit.before')]: isDifference(value) ? <Value value={value.before} /> : null } : {}),
    [say(hasBefore ? 'audit.after' : 'audit.value')]: <Value value={isDifference(value) ? value.after : value} />,
  }));
  return <PlainTable rows={rows} label={say('audit.change')} />;
}
