import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { SubmitOutcome } from '../../../src/channels/channel.js';
import { silentObserver } from '../../../src/channels/session/metrics.js';
import { STATUS } from '../../../src/channels/smpp/pdu.js';
import { openSmppChannel } from '../../../src/channels/smpp/smpp-channel.js';
import {
  acceptAll,
  collect,
  createConfig,
  createPart,
  createParts,
  openChannel,
  type PeerScript,
  silentLog,
  startPeer,
  submitAll,
  waitFor,
} from './peer.js';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function serve(script: PeerScript, tls?: { key: string; cert: string }) {
  const peer = await startPeer(script, tls);
  opened.push({ close: () => peer.stop() });
  return peer;
}

async function connect(script: PeerScript, over: Parameters<typeof openChannel>[1] = {}) {
  const peer = await serve(script);
  const { channel, feedback } = await openChannel(peer.port, over);
  opened.push(channel);
  return { peer, channel, feedback };
}

const kinds = (outcomes: readonly SubmitOutcome[]) => outcomes.map(({ kind }) => kind);

describe('sessions', () => {
  it('never have more parts unanswered than the window, and share the load', async () => {
    const most = new Map<unknown, number>();
    const waiting: (() => void)[] = [];
    const { channel, peer } = await connect(
      (pdu, connection) => {
        if (pdu.command !== 'submit_sm') return false;
        waiting.push(() => acceptAll(pdu, connection));
        const unanswered = connection.all('submit_sm').length - (most.get(connection) ?? 0);
        expect(unanswered).toBeLessThanOrEqual(3);
        if (waiting.length === 6) {
          for (const answer of waiting.splice(0)) answer();
          for (const each of peer.connections) most.set(each, each.all('submit_sm').length);
        }
        return true;
      },
      { sessions: 2, window: 3 },
    );
    expect(channel.window).toBe(30);
    expect(kinds(await submitAll(channel, createParts(60)))).toEqual(new Array(60).fill('accepted'));
    expect(peer.connections.map((each) => each.all('submit_sm').length)).toEqual([30, 30]);
  });

  it('bind as transmitter and receiver where the carrier wants two connections', async () => {
    const { channel, peer, feedback } = await connect(acceptAll, { bind: 'transmitter_receiver' });
    expect(channel.health()).toMatchObject({ state: 'up', sessions: 1 });
    await submitAll(channel, createParts(4));
    const byBind = new Map(peer.connections.map((each) => [each.received[0]?.command, each]));
    expect([...byBind.keys()].sort()).toEqual(['bind_receiver', 'bind_transmitter']);
    expect(byBind.get('bind_transmitter')?.all('submit_sm')).toHaveLength(4);
    byBind.get('bind_receiver')?.deliver(1, { source_addr: '1380', short_message: Buffer.from('hi') });
    await waitFor(() => feedback.length === 1);
  });

  it('say who they are as configured', async () => {
    const { peer } = await connect(acceptAll, {
      system_type: 'VMA',
      address_range: '^106',
      address_ton: 1,
      address_npi: 2,
      password: 'a-password-longer-than-8',
    });
    expect(peer.current().received[0]).toMatchObject({
      body: {
        system_id: 'test',
        password: 'a-password-longer-than-8',
        system_type: 'VMA',
        interface_version: 0x34,
        addr_ton: 1,
        addr_npi: 2,
        address_range: '^106',
      },
    });
  });

  it('keep the parts of one message together and in order', async () => {
    const { channel, peer } = await connect(acceptAll, { sessions: 3, window: 2 });
    const parts = createParts(20).flatMap((part) =>
      [1, 2, 3].map((index) => ({ ...part, message: part.reference, part: index, parts: 3, text: `part ${index}` })),
    );
    await submitAll(channel, parts);
    for (const connection of peer.connections) {
      const seen = new Map<string, number[]>();
      for (const { body } of connection.all('submit_sm')) {
        seen.set(body.destination_addr, [...(seen.get(body.destination_addr) ?? []), body.short_message[5] ?? 0]);
      }
      for (const order of seen.values()) expect(order).toEqual([1, 2, 3]);
    }
    expect(peer.submits()).toHaveLength(60);
  });

  it('that are refused are tried again, ever more slowly, and say why', async () => {
    const pauses: number[] = [];
    const peer = await serve((pdu, { send }) => {
      if (pdu.command !== 'bind_transceiver') return false;
      send('bind_transceiver_resp', STATUS.ESME_RINVPASWD, pdu.sequence);
      return true;
    });
    const log = { ...silentLog, warn: (fields: object) => pauses.push((fields as { retry_ms: number }).retry_ms) };
    const config = createConfig(peer.port, { reconnect_min_ms: 8, reconnect_max_ms: 40 });
    const channel = openSmppChannel(config, { log, clock: () => performance.now(), now: Date.now, random: () => 0.5 });
    opened.push(channel);
    await waitFor(() => pauses.length >= 5);
    expect(pauses.slice(0, 5)).toEqual([6, 12, 24, 30, 30]);
    expect(channel.health()).toMatchObject({ state: 'down', sessions: 0, detail: 'bind refused: ESME_RINVPASWD' });
  });

  it('are logged when they are lost, and when they are back', async () => {
    const lines: [string, object][] = [];
    const peer = await serve((pdu, connection) => {
      if (pdu.command !== 'submit_sm' || peer.connections.length > 1) return acceptAll(pdu, connection);
      connection.socket.end();
      return true;
    });
    const note = (fields: object, text: string) => lines.push([text, fields]);
    const channel = openSmppChannel(createConfig(peer.port, { reconnect_min_ms: 8 }), {
      log: { ...silentLog, info: note, warn: note },
      clock: () => performance.now(),
      now: Date.now,
      random: () => 0.5,
    });
    opened.push(channel);
    await waitFor(() => channel.health().state === 'up');
    expect(kinds(await submitAll(channel, createParts(1)))).toEqual(['unknown']);
    await waitFor(() => channel.health().state === 'up');
    expect(lines).toMatchObject([
      ['SMPP session is down', { bind: 'bind_transceiver', reason: 'the peer closed the connection' }],
      ['SMPP session is up again', { bind: 'bind_transceiver', down_ms: expect.any(Number) }],
    ]);
  });

  it('of a receiver that has worked are tried again as quickly as the first time', async () => {
    const pauses: number[] = [];
    const peer = await serve((pdu, connection) => {
      if (pdu.command !== 'bind_receiver') return false;
      connection.send('bind_receiver_resp', 0, pdu.sequence, { system_id: 'peer' });
      connection.send('enquire_link', 0, 99);
      setTimeout(() => connection.socket.destroy(), 20);
      return true;
    });
    const log = { ...silentLog, warn: (fields: object) => pauses.push((fields as { retry_ms: number }).retry_ms) };
    const config = createConfig(peer.port, {
      bind: 'transmitter_receiver',
      reconnect_min_ms: 8,
      reconnect_max_ms: 4_000,
    });
    const channel = openSmppChannel(config, {
      log,
      clock: () => performance.now(),
      now: Date.now,
      random: () => 0.5,
    });
    opened.push(channel);
    await waitFor(() => pauses.length >= 5);
    expect(pauses.slice(0, 5)).toEqual([6, 6, 6, 6, 6]);
  });

  it('say since when they are up or down', async () => {
    let nowMs = 1_000;
    const peer = await serve(acceptAll);
    const { channel } = await openChannel(peer.port, { reconnect_min_ms: 50 }, { now: () => nowMs });
    opened.push(channel);
    nowMs = 2_000;
    expect(channel.health()).toMatchObject({ state: 'up', since: new Date(1_000) });
    await peer.stop();
    await waitFor(() => channel.health().state === 'down');
    nowMs = 3_000;
    expect(channel.health()).toMatchObject({ state: 'down', since: new Date(2_000) });
  });

  it('wait a random time, so that many of them do not come back at once', async () => {
    const pauses: number[] = [];
    const log = { ...silentLog, warn: (fields: object) => pauses.push((fields as { retry_ms: number }).retry_ms) };
    const random = () => ((pauses.length + 1) % 2 === 0 ? 0 : 0.999);
    const config = createConfig(1, { reconnect_min_ms: 20, reconnect_max_ms: 20 });
    const channel = openSmppChannel(config, { log, clock: () => performance.now(), now: Date.now, random });
    opened.push(channel);
    await waitFor(() => pauses.length >= 2);
    expect(pauses.slice(0, 2)).toEqual([20, 10]);
  });

  it('are given up when connecting or binding takes too long', async () => {
    const peer = await serve((pdu) => pdu.command === 'bind_transceiver' && peer.connections.length === 1);
    const { channel } = await openChannel(peer.port, { connect_timeout_ms: 60 });
    opened.push(channel);
    expect(peer.connections).toHaveLength(2);
  });
});

describe('parts without a session', () => {
  it('come back unsent when none is up for a while', async () => {
    const channel = openSmppChannel(createConfig(1), {
      log: silentLog,
      clock: () => performance.now(),
      now: Date.now,
      random: Math.random,
    });
    opened.push(channel);
    expect(channel.health()).toMatchObject({ state: 'down', sessions: 0 });
    expect(kinds(await submitAll(channel, createParts(3)))).toEqual(['unsent', 'unsent', 'unsent']);
  });

  it('that waited long for their turn are not given back because the session is bound anew', async () => {
    const { channel } = await connect(
      (pdu, connection) => {
        if (pdu.command !== 'submit_sm') return false;
        // Slower than the time that parts wait without a session; half way the peer unbinds.
        setTimeout(() => acceptAll(pdu, connection), 40);
        if (pdu.body.destination_addr.endsWith('5')) connection.send('unbind', 0, 9);
        return true;
      },
      { window: 1, unsent_after_ms: 200, reconnect_min_ms: 1 },
    );
    expect(kinds(await submitAll(channel, createParts(10)))).toEqual(new Array(10).fill('accepted'));
  });

  it('wait for one that is about to be bound', async () => {
    const peer = await serve(acceptAll);
    const config = createConfig(peer.port, { unsent_after_ms: 10_000 });
    const channel = openSmppChannel(config, {
      log: silentLog,
      clock: () => performance.now(),
      now: Date.now,
      random: Math.random,
    });
    opened.push(channel);
    expect(kinds(await submitAll(channel, createParts(3)))).toEqual(['accepted', 'accepted', 'accepted']);
  });
});

describe('one part', () => {
  it('goes out as the configuration says', async () => {
    const { channel, peer } = await connect(acceptAll, {
      service_type: 'CMT',
      protocol_id: 1,
      priority_flag: 2,
      registered_delivery: 17,
      validity_period_s: 2 * 86_400 + 3 * 3_600 + 4 * 60 + 5,
    });
    await submitAll(channel, [createPart({ from: '10690', text: 'a{b' })]);
    expect(peer.submits()[0]).toMatchObject({
      body: {
        service_type: 'CMT',
        source_addr_ton: 3,
        source_addr: '10690',
        dest_addr_ton: 1,
        dest_addr_npi: 1,
        destination_addr: '8613800138000',
        protocol_id: 1,
        priority_flag: 2,
        registered_delivery: 17,
        validity_period: '000002030405000R',
        data_coding: 0,
        short_message: Buffer.from('a\x1b\x28b', 'latin1'),
      },
    });
  });

  it('that no field can hold is refused without being sent', async () => {
    const { channel, peer } = await connect(acceptAll);
    const outcomes = await submitAll(channel, [
      createPart({ from: '汉' }),
      createPart({ to: '1'.repeat(30) }),
      createPart({ text: 'x'.repeat(300) }),
      createPart(),
    ]);
    expect(outcomes).toMatchObject([
      { kind: 'refused', code: 'ESME_RINVSRCADR' },
      { kind: 'refused', code: 'ESME_RINVDSTADR' },
      { kind: 'refused', code: 'ESME_RINVMSGLEN' },
      { kind: 'accepted' },
    ]);
    expect(peer.submits()).toHaveLength(1);
  });
});

describe('the observer', () => {
  it('hears of sessions, window, outcomes and feedback', async () => {
    const heard = { bound: 0, mostInFlight: 0, outcomes: [] as string[], latencies: 0, received: [] as string[] };
    const peer = await serve(acceptAll);
    const { channel } = await openChannel(
      peer.port,
      { sessions: 2 },
      {
        observer: {
          ...silentObserver,
          sessions: (bound) => {
            heard.bound = bound;
          },
          window: (inFlight, size) => {
            heard.mostInFlight = Math.max(heard.mostInFlight, inFlight);
            expect(size).toBe(20);
          },
          outcome: (kind, latencyMs) => {
            heard.outcomes.push(kind);
            if (latencyMs !== undefined && latencyMs >= 0) heard.latencies += 1;
          },
          received: (kind) => heard.received.push(kind),
        },
      },
    );
    opened.push(channel);
    await submitAll(channel, createParts(30));
    peer.current().deliver(1, { source_addr: '1380', esm_class: 4, short_message: Buffer.from('id:1 stat:DELIVRD') });
    await waitFor(() => heard.received.length === 1);
    expect(heard).toMatchObject({ bound: 2, mostInFlight: 20, latencies: 30, received: ['report'] });
    expect(heard.outcomes).toEqual(new Array(30).fill('accepted'));
  });
});

describe('closing', () => {
  it('waits for the parts in flight, gives back the others and unbinds', async () => {
    let answer = () => {};
    const { channel, peer } = await connect(
      (pdu, connection) => {
        if (pdu.command !== 'submit_sm') return false;
        answer = () => acceptAll(pdu, connection);
        return true;
      },
      { window: 1 },
    );
    const outcomes = submitAll(channel, createParts(3));
    await waitFor(() => peer.submits().length === 1);
    const closed = channel.close();
    answer();
    await closed;
    expect(kinds(await outcomes).sort()).toEqual(['accepted', 'unsent', 'unsent']);
    expect(peer.connections[0]?.all('unbind')).toHaveLength(1);
    expect(kinds(await submitAll(channel, [createPart()]))).toEqual(['unsent']);
  });

  it('does not wait for ever for a peer that does not answer', async () => {
    const { channel } = await connect((pdu) => pdu.command === 'submit_sm' || pdu.command === 'unbind', {
      response_timeout_ms: 60,
    });
    const outcomes = collect(channel.submit(createParts(1), new AbortController().signal));
    await channel.close();
    expect(kinds(await outcomes)).toEqual(['unknown']);
  });
});

describe('TLS', () => {
  function createCertificate(): { key: string; cert: string } {
    const folder = mkdtempSync(join(tmpdir(), 'smpp-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const subject = ['-subj', '/CN=smsc.test', '-addext', 'subjectAltName=DNS:smsc.test'];
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    execFileSync('openssl', ['req', '-x509', ...kind, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' });
    const pair = { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
    rmSync(folder, { recursive: true });
    return pair;
  }

  it('carries a session whose certificate is trusted, and refuses one that is not', async () => {
    const pair = createCertificate();
    const peer = await serve(acceptAll, pair);
    const { channel } = await openChannel(peer.port, { tls: true, tls_ca: pair.cert, tls_server_name: 'smsc.test' });
    opened.push(channel);
    expect(kinds(await submitAll(channel, createParts(20)))).toEqual(new Array(20).fill('accepted'));

    const options = { log: silentLog, clock: () => performance.now(), now: Date.now, random: Math.random };
    const distrusting = openSmppChannel(createConfig(peer.port, { tls: true }), options);
    opened.push(distrusting);
    await waitFor(() => /self.signed/i.test(distrusting.health().detail ?? ''));
    const misnamed = openSmppChannel(createConfig(peer.port, { tls: true, tls_ca: pair.cert }), options);
    opened.push(misnamed);
    await waitFor(() => /does not match/i.test(misnamed.health().detail ?? ''));

    const careless = await openChannel(peer.port, { tls: true, tls_verify: false });
    opened.push(careless.channel);
    expect(kinds(await submitAll(careless.channel, [createPart()]))).toEqual(['accepted']);
  });
});
