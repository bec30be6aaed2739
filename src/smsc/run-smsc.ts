// `postrider smsc`: the message centre as a command. It says where it listens as one line of JSON, answers GET /counts,
// and prints the counts when it ends.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type MessageCentre, startMessageCentre } from './message-centre.js';
import { describeOptions, parseOptions } from './options.js';

/** Runs until it is told to end; resolves with the exit code. */
export async function runSmsc(argv: readonly string[], signal: AbortSignal): Promise<number> {
  if (argv.includes('--help')) {
    process.stdout.write(describeOptions());
    return 0;
  }
  const { options, faults } = parseOptions(argv);
  if (faults.length > 0) {
    process.stderr.write(`${faults.join('\n')}\n\n${describeOptions()}`);
    return 2;
  }
  const centre = await startMessageCentre(options);
  const counter = await serveCounts(centre, options.host, options.countsPort);
  process.stdout.write(`${JSON.stringify({ smpp: centre.port, counts: counter.port })}\n`);
  if (!signal.aborted) await once(signal, 'abort');
  await centre.stop();
  await counter.stop();
  process.stdout.write(`${JSON.stringify(centre.counts())}\n`);
  return 0;
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
    // Millions of destinations are a long answer: they are told only when asked for.
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
