// Who may connect to the listener, and what strangers and broken gateways can do to it.
import { createServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { COMMANDS, LOGIN_TYPE } from '../../../src/channels/sgip/pdu.js';
import { openSgipChannel } from '../../../src/channels/sgip/sgip-channel.js';
import { createPart, deps, silentLog, submitAll, waitFor } from '../cmpp/peer.js';
import {
  createConfig,
  dial,
  dialIn,
  findFreePort,
  gatewaySequence,
  login,
  openChannel as open,
  type PeerConnection,
  sendReport,
  startPeer,
} from './peer.js';

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function openChannel(...[over, options]: [Parameters<typeof open>[1]?, Parameters<typeof open>[3]?]) {
  const peer = await startPeer();
  closers.push(() => peer.stop());
  const opened = await open(peer.port, over, {}, options);
  closers.push(() => opened.channel.close());
  return { ...opened, peer };
}

function keep(connection: PeerConnection): PeerConnection {
  closers.push(async () => {
    connection.socket.destroy();
  });
  return connection;
}

/** A log that keeps the reasons of its warnings. */
function createReasons() {
  const reasons: unknown[] = [];
  const log = {
    ...silentLog,
    warn: (fields: object) => {
      if ('reason' in fields) reasons.push(fields.reason);
    },
    child: () => log,
  };
  return { reasons, options: { ...deps, log } };
}

async function proveAlive(listenPort: number, feedback: readonly unknown[]): Promise<void> {
  const before = feedback.length;
  const gateway = keep(await dialIn(listenPort));
  sendReport(gateway, gatewaySequence(before + 1), '0'.repeat(24));
  await waitFor(() => feedback.length === before + 1);
}

describe('a login', () => {
  it.each([
    ['sp90001', 'wrong', 'wrong password'],
    ['other', '888888', 'unknown login name'],
    ['', '', 'unknown login name'],
  ])('as %s with %s is refused, and the log and the health say why: %s', async (name, password, reason) => {
    const { reasons, options } = createReasons();
    const { listenPort, channel, feedback } = await openChannel({}, options);
    const connection = keep(await dial(listenPort));
    expect(await login(connection, name, password)).toBe(1);
    await waitFor(() => connection.isClosed);
    expect(reasons).toContain(reason);
    const detail = `a login of the gateway was refused: ${reason}`;
    expect(channel.health()).toMatchObject({ state: 'degraded', detail });
    // It gets in: all is well, also when it leaves.
    await proveAlive(listenPort, feedback);
    expect(channel.health()).toMatchObject({ state: 'up' });
    for (const close of closers.splice(-1)) await close();
    expect(channel.health()).toMatchObject({ state: 'up' });
  });

  it('of a service provider, by its type, is refused; a gateway may test', async () => {
    const { reasons, options } = createReasons();
    const { listenPort, channel } = await openChannel({}, options);
    expect(await login(keep(await dial(listenPort)), undefined, undefined, LOGIN_TYPE.toGateway)).toBe(4);
    expect(reasons).toContain('wrong login type');
    expect(channel.health().detail).toBe('a login of the gateway was refused: wrong login type');
    expect(await login(keep(await dial(listenPort)), undefined, undefined, LOGIN_TYPE.test)).toBe(0);
    expect(channel.health().state).toBe('up');
  });

  it('that is refused shows on the channel that it names, else on all of the gateway that are without', async () => {
    const one = await openChannel({ listen_account: 'one' });
    const two = await openChannel({ listen_account: 'two', listen_port: one.listenPort });
    await login(keep(await dial(one.listenPort)), 'two', 'wrong');
    expect(one.channel.health().state).toBe('up');
    expect(two.channel.health().state).toBe('degraded');
    await login(keep(await dial(one.listenPort)), 'two');
    await login(keep(await dial(one.listenPort)), 'three');
    expect(one.channel.health().state).toBe('degraded');
    expect(two.channel.health().state).toBe('up');
  });

  it('from another address than the host is refused, whatever the password', async () => {
    const { reasons, options } = createReasons();
    const { listenPort, feedback } = await openChannel({}, options);
    const connection = keep(await dial(listenPort, '127.0.0.2'));
    expect(await login(connection)).toBe('closed');
    expect(reasons).toContain('the address is of no channel');
    await proveAlive(listenPort, feedback);
  });

  it('has an account and a password for this direction where they are configured', async () => {
    const { listenPort } = await openChannel({ listen_account: 'smg', listen_password: 'other' });
    expect(await login(keep(await dial(listenPort)))).toBe(1);
    expect(await login(keep(await dial(listenPort)), 'smg', 'other')).toBe(0);
  });

  it('chooses among the channels of one port, and each gets its own reports', async () => {
    const one = await openChannel({ listen_account: 'one' });
    const two = await openChannel({ listen_account: 'two', listen_port: one.listenPort });
    const connection = keep(await dial(one.listenPort));
    expect(await login(connection, 'two')).toBe(0);
    sendReport(connection, gatewaySequence(3), '0'.repeat(24));
    await waitFor(() => two.feedback.length === 1);
    expect(one.feedback).toEqual([]);
    // The port stays open for the other when one leaves.
    await one.channel.close();
    expect(await login(keep(await dial(one.listenPort)), 'one')).toBe(1);
    expect(await login(keep(await dial(one.listenPort)), 'two')).toBe(0);
  });

  it('that two channels share is refused, whatever they call the host: a report would be acknowledged by either', async () => {
    const one = await openChannel();
    const channel = openSgipChannel(createConfig(one.peer.port, one.listenPort, { host: 'localhost' }), deps);
    closers.push(() => channel.close());
    expect(await login(keep(await dial(one.listenPort)))).toBe(1);
    const detail = 'a login of the gateway was refused: another channel listens for the same login';
    await waitFor(() => one.channel.health().detail === detail && channel.health().detail === detail);
    await one.channel.close();
    expect(await login(keep(await dial(one.listenPort)))).toBe(0);
    await waitFor(() => channel.health().state === 'up');
  });

  it('that two channels share is a fault of both, before the gateway comes', async () => {
    const one = await openChannel();
    const channel = openSgipChannel(createConfig(one.peer.port, one.listenPort), deps);
    closers.push(() => channel.close());
    await waitFor(() => channel.health().detail === 'another channel listens for the same login');
    expect(one.channel.health()).toMatchObject({ state: 'degraded', detail: channel.health().detail });
    await one.channel.close();
    expect(channel.health().state).toBe('up');
  });
});

describe('a listener', () => {
  it('that cannot listen degrades the channel, which still sends, and tries again', async () => {
    const port = await findFreePort();
    const squatter = createServer().listen(port, '127.0.0.1');
    const peer = await startPeer();
    closers.push(() => peer.stop());
    const channel = openSgipChannel(createConfig(peer.port, port), deps);
    closers.push(() => channel.close());
    const feedback: unknown[] = [];
    channel.onFeedback((each) => feedback.push(each));
    await waitFor(() => channel.health().state === 'degraded');
    await waitFor(() => channel.health().detail?.includes('EADDRINUSE') === true);
    squatter.close();
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind: 'accepted' }]);
    await proveAlive(port, feedback);
  });

  it('keeps the gateway in when a thousand connections say nothing', async () => {
    const { reasons, options } = createReasons();
    const { listenPort, feedback, channel } = await openChannel({}, options);
    const established = keep(await dialIn(listenPort));
    const strangers: PeerConnection[] = [];
    for (let round = 0; round < 20; round += 1) {
      strangers.push(...(await Promise.all(Array.from({ length: 50 }, () => dial(listenPort)))).map(keep));
    }
    await waitFor(() => strangers.filter(({ isClosed }) => !isClosed).length <= 64);
    await proveAlive(listenPort, feedback);
    sendReport(established, gatewaySequence(50), '0'.repeat(24));
    await waitFor(() => feedback.length === 2);
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind: 'accepted' }]);
    // One line for each reason, not for each connection.
    expect(reasons.filter((reason) => reason === 'too many connections without a Bind')).toHaveLength(1);
  });

  it('gives one channel no more connections than it may have', async () => {
    const { listenPort } = await openChannel();
    for (let count = 0; count < 32; count += 1) keep(await dialIn(listenPort));
    expect(await login(keep(await dial(listenPort)))).toBe(3);
  });

  it('can be opened again at once', async () => {
    const first = await openChannel();
    keep(await dialIn(first.listenPort));
    await first.channel.close();
    const second = await openChannel({ listen_port: first.listenPort });
    await proveAlive(second.listenPort, second.feedback);
  });
});

/** Octets that look like PDUs to a different degree. */
function createFuzz(random: () => number): Buffer {
  const ids = [...Object.values(COMMANDS).map(({ id }) => id), 0x777, 0x1000, 0x80001000];
  const body = Buffer.from(Array.from({ length: Math.floor(random() * 120) }, () => Math.floor(random() * 256)));
  const header = Buffer.alloc(20, Math.floor(random() * 256));
  header.writeUInt32BE(20 + body.length, 0);
  header.writeUInt32BE(ids[Math.floor(random() * ids.length)] ?? 0, 4);
  return Buffer.concat([header, body]);
}

describe('bad input', () => {
  it.each([
    ['no frame at all', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['a length of nothing', Buffer.alloc(20)],
    ['a length of four gigabytes', Buffer.alloc(20, 0xff)],
    ['a Submit for a Bind', Buffer.from('0000001400000003b36a54113cdc73be00000001', 'hex')],
    ['a Bind that is too short', Buffer.from('0000001400000001b36a54113cdc73be00000001', 'hex')],
  ])('of %s in place of a login ends that connection alone', async (_, octets) => {
    const { listenPort, feedback } = await openChannel();
    const connection = keep(await dial(listenPort));
    connection.write(octets);
    await waitFor(() => connection.isClosed);
    await proveAlive(listenPort, feedback);
  });

  it('after the login in 10,000 fuzzed PDUs hurts no other connection', async () => {
    const { listenPort, feedback, channel, peer } = await openChannel();
    const established = keep(await dialIn(listenPort));
    let seed = 7;
    const random = () => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed / 2_147_483_648;
    };
    channel.onFeedback((each) => each.ack());
    for (let sent = 0; sent < 10_000; ) {
      const target =
        sent % 1_000 === 0 && peer.connections.at(-1)?.isClosed === false ? peer.connections.at(-1) : undefined;
      const connection = target ?? keep(await dialIn(listenPort));
      const pdus = Array.from({ length: 250 }, () => createFuzz(random));
      sent += pdus.length;
      // Pieces that end anywhere.
      const octets = Buffer.concat(pdus);
      for (let at = 0; at < octets.length; at += 777) connection.write(octets.subarray(at, at + 777));
      connection.socket.end();
      await waitFor(() => connection.isClosed);
    }
    channel.onFeedback((each) => (feedback as unknown[]).push(each));
    feedback.length = 0;
    sendReport(established, gatewaySequence(60), '0'.repeat(24));
    await waitFor(() => feedback.length === 1);
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind: 'accepted' }]);
  });

  it('of half a PDU waits for the rest', async () => {
    const { listenPort, feedback } = await openChannel();
    const gateway = keep(await dialIn(listenPort));
    const report = Buffer.from(
      '000000400000000500018a893cdc742400000009b36a54113cdc73be000000020038363133303030303030303031000000000000000002190000000000000000',
      'hex',
    );
    for (const octet of report.subarray(0, 30)) gateway.write(Buffer.from([octet]));
    gateway.write(report.subarray(30));
    await waitFor(() => feedback.length === 1);
    expect(feedback[0]).toMatchObject({ messageId: 'b36a54113cdc73be00000002', code: '2:25', phone: '8613000000001' });
  });
});
