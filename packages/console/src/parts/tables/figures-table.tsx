// The figures of a chart for who cannot see it.

import type { ReactElement } from 'react';
import { useWords } from '../../words/say.js';
import { useDrawn } from '../layout/deferred-render.js';

interface FiguresTableProps {
  readonly label: string;
  /** What the figures beside each time are; left out where the label says it. */
  readonly heads?: readonly string[];
  readonly rows: readonly {
    readonly key: string;
    readonly title: string;
    readonly figures: readonly (string | number)[];
  }[];
}

/** Rendered after the chart: it is for screen readers only, and larger than the chart. */
export function FiguresTable({ label, heads, rows }: FiguresTableProps): ReactElement | null {
  const say = useWords();
  const isDrawn = useDrawn();
  if (!isDrawn) return null;
  return (
    <div className="visually-hidden">
      <table>
        <caption>{label}</caption>
        {heads !== undefined && (
          <thead>
            <tr>
              {[say('record.time'), ...heads].map((head) => (
                <th key={head} scope="col">
                  {head}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map(({ key, title, figures }) => (
            <tr key={key}>
              <th scope="row">{title}</th>
              {figures.map((figure, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: a figure is what it is by its column.
                <td key={index}>{figure}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
