// One customer with every bad habit at once, in its own process, so that its work does not delay the clock of those who are
// measured. For the same reason it has the lowest priority: a stranger computes on a machine of his own. It gets its account as JSON
// in ACCOUNT, and counts what it was answered.
import { createHash, createHmac } from 'node:crypto';
import { Agent, createServer, request } from 'node:http';
import { constants, setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

const { url, apiKey, apiSecret, templateNo, goodUrl } = JSON.parse(process.env.ACCOUNT ?? '{}');
setPriority(constants.priority.PRIORITY_LOW);
const API = '/openapi/v1';
const MIB = 1024 * 1024;
const agent = new Agent({ keepAlive: true, maxSockets: 1000 });
const answers = {};
let requests = 0;

function sign(method, target, body) {
  const timestampMs = Date.now();
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const text = [method, target, String(timestampMs), bodyHash].join('\n');
  const signature = createHmac('sha256', apiSecret).update(text).digest('hex');
  return { 'x-api-key': apiKey, 'x-timestamp': String(timestampMs), 'x-sign': signature };
}

/** `onResponse` takes over the answer, which is else read to its end. */
function call(habit, method, path, body, { accept = 'application/json', onResponse } = {}) {
  const target = `${API}${path}`;
  const bytes = body === undefined ? '' : Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
  const headers = {
    ...sign(method, target, bytes),
    accept,
    ...(body === undefined ? {} : { 'content-type': 'application/json', 'content-length': bytes.length }),
  };
  return new Promise((resolve) => {
    const end = (status, text = '') => {
      const counts = answers[habit] ?? {};
      answers[habit] = { ...counts, [status]: (counts[status] ?? 0) + 1 };
      resolve({ status, text });
    };
    const sent = request(`${url}${target}`, { method, headers, agent, timeout: 60_000 }, (response) => {
      if (onResponse !== undefined && response.statusCode === 200) {
        onResponse(response);
        end(200);
        return;
      }
      const pieces = [];
      response.on('data', (piece) => pieces.push(piece));
      response.on('end', () => end(response.statusCode, Buffer.concat(pieces).toString('utf8')));
      response.on('error', () => end(0));
    });
    sent.on('timeout', () => sent.destroy());
    sent.on('error', () => end(0));
    sent.end(bytes);
  });
}

/** So many at a time, for ever. */
function repeat(times, pauseMs, act) {
  for (let at = 0; at < times; at += 1) {
    void (async () => {
      for (;;) {
        await act(at);
        await sleep(pauseMs);
      }
    })();
  }
}

const one = (extra = {}) => {
  requests += 1;
  const phone = `139${String(requests).padStart(8, '0')}`;
  return { template_no: templateNo, phones: [phone], client_request_id: `bad-${requests}`, ...extra };
};
const AUTOMATIC = { auto_freeze: true, auto_submit: true };
const send = (habit, request) => call(habit, 'POST', '/messages/send/', request);
const many = (count) => Array.from({ length: count }, (_, at) => `137${String(at).padStart(8, '0')}`);

/** Answers 101 on every path but /hang, where it answers nothing. */
const endpoint = createServer((incoming, response) => {
  incoming.resume();
  if (incoming.url === '/hang') return;
  response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
});
await new Promise((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
const endpointUrl = `http://127.0.0.1:${endpoint.address().port}`;

async function createWebhook(target) {
  const events = ['receipts', 'task.finished', 'batch.finished'];
  const { text } = await call('webhooks', 'POST', '/webhooks/', { url: target, events });
  return JSON.parse(text).webhook_no;
}
for (let at = 0; at < 7; at += 1) await createWebhook(`${endpointUrl}/upgrade/${at}`);
const [hanging, moving, good] = [
  await createWebhook(`${endpointUrl}/hang`),
  await createWebhook(`${endpointUrl}/moving`),
  await createWebhook(goodUrl),
];
const { text } = await send('sends', { ...one(), phones: many(200), ...AUTOMATIC, auto_submit: false });
const taskNo = JSON.parse(text).task_no;

const hostile = [
  Buffer.alloc(16 * MIB, '['),
  Buffer.from(`[${'{},'.repeat(5 * MIB)}{}]`),
  Buffer.from(`{${Array.from({ length: MIB }, (_, at) => `"k${String(at).padStart(8, '0')}":1,`).join('')}"z":1}`),
];
const foreign = Array.from({ length: 5000 }, (_, at) => `+44 (0) 79-11.${String(100_000 + at)}`);
const inEightyDays = () => new Date(Date.now() + 80 * 86_400_000).toISOString();

repeat(2, 50, (at) => send('deep JSON', hostile[(at + requests) % hostile.length]));
repeat(20, 20, () => call('webhook tests', 'POST', `/webhooks/${hanging}/test/`));
repeat(24, 20, (at) => call('slow names', 'PATCH', `/webhooks/${moving}/`, { url: `https://silent-${at}.test/` }));
repeat(4, 20, () => call('previews', 'POST', '/messages/preview/', { template_no: templateNo, phones: foreign }));
repeat(4, 200, () =>
  call('slow exports', 'GET', '/messages/receipts/', undefined, {
    accept: 'text/csv',
    // Never read.
    onResponse: (response) => void response.pause().on('error', () => {}),
  }),
);
repeat(3, 50, () => call('replays', 'POST', `/webhooks/${good}/replay/`, { from: '2020-01-01T00:00:00Z' }));
repeat(2, 100, () => send('scheduled', one({ phones: many(5000), send_at: inEightyDays(), ...AUTOMATIC })));
repeat(300, 200, (at) => call('moves', 'POST', `/messages/tasks/${taskNo}/${at % 2 === 0 ? 'pause' : 'resume'}/`));
repeat(4, 20, () => send('manual', one({ auto_prepare: false })));
repeat(4, 20, () => send('tiny batches', one({ batch_id: `tiny-${requests}`, ...AUTOMATIC })));

process.on('message', () => process.send?.(answers));
process.send?.('at work');
