// The URL of a database, which may name several servers: `postgres://user@one:5432,two:5432/database`.

export interface DatabaseHost {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 5432;

/** The URL has the first of the hosts. Throws where the text is no URL. */
export function parseDatabaseUrl(address: string): { readonly url: URL; readonly hosts: readonly DatabaseHost[] } {
  const authority = /^\w+:\/\/([^/?#]*)/.exec(address)?.[1] ?? '';
  const names = authority.slice(authority.lastIndexOf('@') + 1).split(',');
  const urls = names.map((name) => new URL(address.replace(names.join(','), name)));
  const [first = new URL(address)] = urls;
  return { url: first, hosts: urls.map((url) => ({ host: url.hostname, port: Number(url.port || DEFAULT_PORT) })) };
}

export function isDatabaseUrl(text: string): boolean {
  try {
    return /^postgres(ql)?:\/\//.test(text) && parseDatabaseUrl(text).hosts.length > 0;
  } catch {
    return false;
  }
}
