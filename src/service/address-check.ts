import { once } from 'node:events';
import { createServer } from 'node:net';

interface Address {
  readonly host: string;
  readonly port: number;
}

/** Checked first: a service that cannot listen must not create a database. */
export async function checkAddressIsFree({ host, port }: Address): Promise<void> {
  const server = createServer().listen({ host, port });
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new Error(await explainListenFault(error as NodeJS.ErrnoException, { host, port }), { cause: error });
  }
  await new Promise((resolve) => server.close(resolve));
}

const another = 'Choose another: npm start -- --port 9000, or POSTRIDER_PORT=9000 in the environment.';

async function explainListenFault({ code, message }: NodeJS.ErrnoException, { host, port }: Address): Promise<string> {
  switch (code) {
    case 'EADDRINUSE':
      return (await isPostrider({ host, port }))
        ? `a Postrider runs already on http://${host}:${port}. Stop it, or run a second one: npm start -- --port 9000 --data-dir PATH`
        : `port ${port} of ${host} is in use by another program. ${another}`;
    case 'EACCES':
      return `this user may not listen on port ${port}. ${another}`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is no address of this machine. Set --host or POSTRIDER_HOST; 127.0.0.1 for this machine alone, 0.0.0.0 for all addresses.`;
    default:
      return `cannot listen on ${host}:${port}: ${message}`;
  }
}

async function isPostrider({ host, port }: Address): Promise<boolean> {
  const reachable = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const shown = reachable.includes(':') ? `[${reachable}]` : reachable;
  try {
    const answer = await fetch(`http://${shown}:${port}/openapi.json`, { signal: AbortSignal.timeout(1_000) });
    const document = (await answer.json()) as { info?: { title?: string } };
    return document.info?.title?.includes('Postrider') ?? false;
  } catch {
    return false;
  }
}
