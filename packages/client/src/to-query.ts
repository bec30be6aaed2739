/** The filters of a list under the names that the service gives them. Those that are not given are left out. */
export function toQuery(filters: object, names: Readonly<Record<string, string>>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(names).map(([field, name]) => [name, Reflect.get(filters, field)]));
}
