// Bodies of callers who cannot sign must not use up the memory that those need who can.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpService, signHeaders, startHttpService, type TestCustomer } from '../support/http-service.js';

const SEND = '/openapi/v1/messages/send/';
const KIB = 1024;
const LIMITS = {
  maxBodyBytes: 64 * KIB,
  maxBufferedBytes: 256 * KIB,
  maxUnverifiedBytes: 128 * KIB,
  freeBodyBytes: KIB,
};

let service: HttpService;
let ann: TestCustomer;
let bob: TestCustomer;
let port: number;
const sockets: Socket[] = [];

beforeEach(async () => {
  service = await startHttpService({ limits: LIMITS });
  ann = await service.addCustomer('ann');
  bob = await service.addCustomer('bob');
  port = await service.listen();
});
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await service.stop();
});

/** The first line of the answer, or what the connection ended with. */
async function statusOf(socket: Socket): Promise<string> {
  const [chunk] = (await once(socket, 'data')) as Buffer[];
  return /^HTTP\/1\.1 (\d+)/.exec(String(chunk))?.[1] ?? 'nothing';
}

/** A request with a body that is all there but for its last byte: it is held for as long as the service lets it. */
async function holdBody(caller: Pick<TestCustomer, 'apiKey' | 'secret'>, bytes = 64 * KIB): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  const headers = { host: 'x', ...signHeaders(caller, { method: 'POST', target: SEND, body: 'of something else' }) };
  const lines = Object.entries({ ...headers, 'content-length': String(bytes) }).map(
    ([name, text]) => `${name}: ${text}`,
  );
  socket.write(`POST ${SEND} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  await new Promise((resolve) => socket.write(Buffer.alloc(bytes - 1, 'x'), resolve));
  return socket;
}

/** Sixteen held bodies at once: there is room for one or two, and all the others are refused. */
async function useUp(...callers: Pick<TestCustomer, 'apiKey' | 'secret'>[]): Promise<void> {
  const refused: string[] = [];
  for (let at = 0; at < 16; at += 1) {
    const socket = await holdBody(callers[at % callers.length] ?? ann);
    void statusOf(socket).then((status) => refused.push(status));
  }
  await expect.poll(() => refused.length).toBeGreaterThanOrEqual(14);
  expect(new Set(refused)).toEqual(new Set(['503']));
}

const sendMany = (customer: TestCustomer, count = 2000) =>
  service.call(customer, SEND, {
    body: {
      template_no: customer.templateNo,
      phones: Array.from({ length: count }, (_, at) => String(13800000000 + at)),
    },
  });

describe('sixteen held bodies', () => {
  it('of an unknown key do not keep others from sending', async () => {
    await useUp({ apiKey: 'pk_invented', secret: 'x' });
    expect((await sendMany(ann)).status).toBe(200);
  });

  it('of many unknown keys do not keep others from sending', async () => {
    await useUp(...Array.from({ length: 16 }, (_, at) => ({ apiKey: `pk_invented_${at}`, secret: 'x' })));
    expect((await sendMany(ann)).status).toBe(200);
  });

  it('of a key in use with wrong signatures stop no other customer', async () => {
    await useUp({ ...ann, secret: 'wrong' });
    expect((await sendMany(bob)).status).toBe(200);
  });

  it('of a key in use stop its customer neither from small requests nor, after one, from large ones', async () => {
    await useUp({ ...ann, secret: 'wrong' });
    expect((await sendMany(ann)).status).toBe(503);
    expect((await sendMany(ann, 3)).status).toBe(200);
    expect((await sendMany(ann)).status).toBe(200);
  });
});

describe('a body that is not signed', () => {
  it('is refused alike whether the key is in use, revoked or invented', async () => {
    await service.change(
      (sql, version) =>
        sql`update credential set status = 'revoked', version = ${version} where api_key = ${bob.apiKey}`,
    );
    const refused = [];
    for (const caller of [{ ...ann, secret: 'wrong' }, bob, { apiKey: 'pk_invented', secret: 'x' }]) {
      const small = await holdBody(caller, 100);
      small.write('x');
      const large = await holdBody(caller);
      large.write('x');
      const [first, second] = [await statusOf(small), await statusOf(large)];
      const held = await Promise.all(Array.from({ length: 3 }, () => holdBody(caller)));
      refused.push([first, second, await Promise.race(held.map(statusOf))]);
      for (const socket of held) socket.destroy();
      await expect.poll(() => service.registry.metrics()).toContain('postrider_http_requests_in_flight 0');
    }
    expect(refused).toEqual(Array(3).fill(['401', '401', '503']));
  });

  it('leaves its room when its client hangs up', async () => {
    for (let round = 0; round < 3; round += 1) {
      const socket = await holdBody({ ...ann, secret: 'wrong' });
      socket.destroy();
      await expect.poll(() => service.registry.metrics()).toContain('postrider_http_requests_in_flight 0');
    }
    expect((await sendMany(ann)).status).toBe(200);
  });
});

describe('verified bodies', () => {
  it('of one customer leave room for the others', async () => {
    expect((await sendMany(ann, 3)).status).toBe(200);
    expect((await sendMany(bob, 3)).status).toBe(200);
    await useUp({ ...ann, secret: 'wrong' });
    expect((await sendMany(bob)).status).toBe(200);
  });
});
