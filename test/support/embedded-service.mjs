// A service reduced to its database, as a process of its own that a test can kill. Says what happens in lines of JSON.
// The first argument is the data folder, the second the compiled code to run.
import { pathToFileURL } from 'node:url';

const [, , dataDir, dist] = process.argv;
const { startEmbeddedPostgres } = await import(pathToFileURL(`${dist}/store/embedded/start.js`).href);
const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const log = { info: (message) => say({ kind: 'log', message }), warn: (message) => say({ kind: 'log', message }) };

try {
  const server = await startEmbeddedPostgres({
    dataDir,
    log,
    onFailure: (error) => {
      say({ kind: 'failure', message: error.message });
      process.exit(3);
    },
  });
  process.on('SIGTERM', async () => {
    await server.stop();
    say({ kind: 'stopped' });
    process.exit(0);
  });
  say({ kind: 'up', isAttached: server.isAttached, address: server.address });
  setInterval(() => {}, 1_000_000);
} catch (error) {
  say({ kind: 'refused', message: error.message });
  process.exit(2);
}
