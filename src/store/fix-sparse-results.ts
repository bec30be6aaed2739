import type { Sql } from './sql.js';

/** What awaiting a query of the driver calls. */
interface Awaited {
  readonly then: (
    onRows?: ((rows: unknown) => unknown) | null,
    onFault?: ((fault: unknown) => unknown) | null,
  ) => unknown;
}

const patched = new WeakSet<object>();

/**
 * The driver counts the rows of a result on the connection, and resets the count only after a complete result. After a result that
 * was cut off, by an error or with the connection, the next result starts with as many holes: its first row is undefined, and
 * existing rows are not found (postgres 3.4.9, its issue 1181). So holes are removed where a result is awaited. Delete this with a
 * release of the driver that resets the count.
 */
export function fixSparseResults(sql: Sql): void {
  const queries: Awaited & object = Object.getPrototypeOf(sql`select`);
  if (patched.has(queries)) return;
  patched.add(queries);
  const { then } = queries;
  const thenWithoutHoles: Awaited['then'] = function (this: unknown, onRows, onFault) {
    return then.call(this, onRows && ((rows) => onRows(withoutHoles(rows))), onFault);
  };
  // biome-ignore lint/suspicious/noThenProperty: a query is awaited, and this is what awaiting it calls
  Object.assign(queries, { then: thenWithoutHoles });
}

function withoutHoles(rows: unknown): unknown {
  if (!Array.isArray(rows) || rows.length === 0 || 0 in rows) return rows;
  let holes = 1;
  while (!(holes in rows)) holes += 1;
  rows.splice(0, holes);
  return rows;
}
