import type { QueryValue } from './transport.js';

/** Options as parameters of the service: `client_request_id` is `clientRequestId`. Those that are not given are left out. */
export function toQuery(options: object, parameters: readonly string[]): Record<string, QueryValue> {
  const given = options as Readonly<Record<string, QueryValue>>;
  return Object.fromEntries(parameters.map((name) => [name, given[toCamelCase(name)]]));
}

function toCamelCase(name: string): string {
  return name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}
