import type { ReactElement } from 'react';
import { showCount } from '../../../format/count.js';
import { sayValue, useWords } from '../../../words/say.js';

/** How many rows of what. */
export function RowCounts({ counts }: { readonly counts: Readonly<Record<string, number>> }): ReactElement {
  const say = useWords();
  const known = Object.entries(counts).filter(([, rows]) => rows > 0);
  if (known.length === 0) return <span className="soft">–</span>;
  return <>{known.map(([table, rows]) => `${sayValue(say, 'rows', table)} ${showCount(rows)}`).join(' · ')}</>;
}
