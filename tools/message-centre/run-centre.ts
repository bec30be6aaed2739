// A message centre as a command. It prints where it listens as one line of JSON, answers GET /counts, and prints the counts
// when it ends.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { MessageCentre } from './centre.js';
import type { CommonOptions } from './options.js';

const PARENT_POLL_MS = 500;

/** Runs until the signal aborts or the parent process is gone. */
export async function runCentre<Options extends CommonOptions>(
  kind: string,
  start: (options: Options) => Promise<MessageCentre>,
  options: Options,
  signal: AbortSignal,
): Promise<void> {
  // Before the ports are printed: a parent that dies right after is noticed, too.
  const ended = options.withParent ? AbortSignal.any([signal, followParent()]) : signal;
  const centre = await start(options);
  const counter = await serveCounts(centre, options.host, options.countsPort);
  process.stdout.write(`${JSON.stringify({ [kind]: centre.port, counts: counter.port })}\n`);
  if (!ended.aborted) await once(ended, 'abort');
  await centre.stop();
  await counter.stop();
  process.stdout.write(`${JSON.stringify(centre.counts())}\n`);
}

/** A test that was killed cannot end what it started, and the port would stay taken. */
function followParent(): AbortSignal {
  const parent = process.ppid;
  const orphaned = new AbortController();
  const poll = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(poll);
    orphaned.abort();
  }, PARENT_POLL_MS);
  // A centre that ends for another reason does not wait for its parent.
  poll.unref();
  return orphaned.signal;
}

async function serveCounts(
  centre: MessageCentre,
  host: string,
  port: number,
): Promise<{ port: number; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://centre');
    if (url.pathname !== '/counts') {
      response.writeHead(404).end();
      return;
    }
    const counts = { ...centre.counts(), pending: centre.pending() };
    // Millions of destinations are a long answer: only on request.
    const body = url.searchParams.has('destinations') ? { ...counts, by_destination: centre.destinations() } : counts;
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
