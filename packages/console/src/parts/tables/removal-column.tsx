// The last column of a table whose rows can be removed, after a confirmation.

import { ConfirmButton, type ConfirmButtonProps } from '../forms/confirm-button.js';
import type { Column } from './rows-table.js';

type Removal = Omit<ConfirmButtonProps, 'isCompact'>;

/** Rows without a removal have no button. */
export function removalColumn<Row>(removalOf: (row: Row) => Removal | undefined): Column<Row> {
  return {
    id: 'remove',
    title: '',
    width: '6.5rem',
    narrowWidth: '5.5rem',
    isEnd: true,
    render: (row) => {
      const removal = removalOf(row);
      return removal !== undefined && <ConfirmButton {...removal} isCompact />;
    },
  };
}
