import type { ReactNode } from 'react';
import type { Column } from './rows-table.js';

/** Shown on wide pages to who has chosen it; a dash stands where a row has none. */
export function optionalColumn<Row>(
  id: string,
  title: string,
  width: string,
  render: (row: Row) => ReactNode,
): Column<Row> {
  return {
    id,
    title,
    width,
    isWideOnly: true,
    isOptional: true,
    render: (row) => render(row) ?? <span className="soft">–</span>,
  };
}
