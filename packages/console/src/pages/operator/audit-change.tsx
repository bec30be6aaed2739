// What an entry of the audit log says was changed: field by field, with what was there before where that is known.

import type { ReactElement, ReactNode } from 'react';
import { PlainTable } from '../../parts/plain-table.js';
import { useWords } from '../../words/say.js';
import styles from './operator.module.css';
import { isDifference, showValue } from './show-change.js';

/** The fields of an object one by one, named as in the body of a call. */
function spread(name: string, value: unknown): [string, unknown][] {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject || isDifference(value)) return [[name, value]];
  return Object.entries(value).flatMap(([inner, one]) => spread(`${name}.${inner}`, one));
}

/** Where a long name may go on in the next line: behind a dot or an underscore rather than within a word. */
function breakName(name: string): ReactNode[] {
  return name.split(/(?<=[._])/).flatMap((piece, index) => (index === 0 ? [piece] : [<wbr key={piece} />, piece]));
}

/** As a table. What was created has no before. */
export function AuditChange({ change }: { readonly change: Readonly<Record<string, unknown>> }): ReactElement {
  const say = useWords();
  const entries = Object.entries(change).flatMap(([name, value]) => spread(name, value));
  const hasBefore = entries.some(([, value]) => isDifference(value));
  const cell = (value: unknown) => <span className={styles.text}>{showValue(value)}</span>;
  const rows = entries.map(([name, value]) => ({
    [say('audit.field')]: <code>{breakName(name)}</code>,
    ...(hasBefore ? { [say('audit.before')]: isDifference(value) ? cell(value.before) : null } : {}),
    [say(hasBefore ? 'audit.after' : 'audit.value')]: cell(isDifference(value) ? value.after : value),
  }));
  return <PlainTable rows={rows} label={say('audit.change')} />;
}
