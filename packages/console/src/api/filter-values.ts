/** The filters that are set, by the names that they have in the address. */
export type FilterValues<Name extends string> = Readonly<Partial<Record<Name, string>>>;

export function pickFilters<Name extends string>(
  names: readonly Name[],
  search: Readonly<Record<string, string | undefined>>,
): FilterValues<Name> {
  const values: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search[name];
    if (value !== undefined && value !== '') values[name] = value;
  }
  return values;
}
