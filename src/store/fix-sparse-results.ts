import type { Sql } from './connect.js';

/** What awaiting a query of the driver calls. */
interface Awaited {
  readonly then: (
    onRows?: ((rows: unknown) => unknown) | null,
    onFault?: ((fault: unknown) => unknown) | null,
  ) => unknown;
}

const mended = new WeakSet<object>();

/**
 * The driver counts the rows of a result on the connection, and begins anew only behind a result that is whole. After one
 * that was cut off, by an error in the middle or with the connection itself, the next result there begins with as many
 * holes: its first row reads undefined, and what exists is not found (postgres 3.4.9, its issue 1181). So every result is
 * looked at where it is awaited. To be taken out with a release that begins anew.
 */
export function fixSparseResults(sql: Sql): void {
  const queries: Awaited & object = Object.getPrototypeOf(sql`select`);
  if (mended.has(queries)) return;
  mended.add(queries);
  const { then } = queries;
  const thenMended: Awaited['then'] = function (this: unknown, onRows, onFault) {
    return then.call(this, onRows && ((rows) => onRows(withoutHoles(rows))), onFault);
  };
  // biome-ignore lint/suspicious/noThenProperty: a query is awaited, and this is what awaiting it calls
  Object.assign(queries, { then: thenMended });
}

function withoutHoles(rows: unknown): unknown {
  if (!Array.isArray(rows) || rows.length === 0 || 0 in rows) return rows;
  let holes = 1;
  while (!(holes in rows)) holes += 1;
  rows.splice(0, holes);
  return rows;
}
