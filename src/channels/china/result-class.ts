// What a result code says about the part it answers.

/**
 * - `accepted`: the gateway has it.
 * - `throttled`: flow control or a full queue; the only class after which a part is sent again.
 * - `session`: the gateway does not know the session; the part goes again on a new one.
 * - `unknown`: the gateway may have it ("duplicate sequence number").
 * - `refused`: about this message or number.
 * - `configuration`: refused, and so will every other part be until the configuration or the contract changes.
 */
export type ResultClass = 'accepted' | 'throttled' | 'session' | 'unknown' | 'refused' | 'configuration';

export interface ResultMeaning {
  readonly class: ResultClass;
  readonly meaning: string;
}

export type ResultTable = ReadonlyMap<number, ResultMeaning>;

/** Rows of codes that share a class. */
export function createResultTable(rows: Readonly<Record<ResultClass, Readonly<Record<number, string>>>>): ResultTable {
  const table = new Map<number, ResultMeaning>();
  for (const [name, meanings] of Object.entries(rows)) {
    for (const [code, meaning] of Object.entries(meanings)) {
      table.set(Number(code), { class: name as ResultClass, meaning });
    }
  }
  return table;
}

/** Vendors add codes: one that is not in the table refuses the part. */
export function classifyResult(table: ResultTable, code: number): ResultClass {
  return table.get(code)?.class ?? 'refused';
}
