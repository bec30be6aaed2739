// What a session survives. Each test is a row of the traps that real carriers set.
import { afterEach, describe, expect, it } from 'vitest';
import type { Channel, SubmitOutcome } from '../../../src/channels/channel.js';
import { silentObserver } from '../../../src/channels/session/metrics.js';
import { createCounter, createWindow, MAX_SEQUENCE } from '../../../src/channels/session/window.js';
import { STATUS } from '../../../src/channels/smpp/pdu.js';
import {
  acceptAll,
  createPart,
  createParts,
  openChannel,
  type Peer,
  type PeerScript,
  startPeer,
  submitAll,
  waitFor,
} from './peer.js';

const opened: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const each of opened.splice(0).reverse()) await each.close();
});

async function connect(
  script: PeerScript,
  over: Parameters<typeof openChannel>[1] = {},
): Promise<{ peer: Peer; channel: Channel; feedback: Awaited<ReturnType<typeof openChannel>>['feedback'] }> {
  const peer = await startPeer(script);
  opened.push({ close: () => peer.stop() });
  const { channel, feedback } = await openChannel(peer.port, over);
  opened.push(channel);
  return { peer, channel, feedback };
}

const kinds = (outcomes: readonly SubmitOutcome[]) => outcomes.map(({ kind }) => kind);

describe('a lost connection', () => {
  it('makes exactly its unanswered parts unknown, at once, and sends none of them again', async () => {
    const { peer, channel } = await connect(
      (pdu, connection) => {
        if (pdu.command !== 'submit_sm') return false;
        const count = connection.all('submit_sm').length;
        if (peer.connections.length > 1 || count <= 4) return acceptAll(pdu, connection);
        if (count === 10) setImmediate(() => connection.socket.destroy());
        return true;
      },
      { window: 10, response_timeout_ms: 600_000 },
    );
    const parts = createParts(30);
    const outcomes = await submitAll(channel, parts);
    const unknown = outcomes.filter(({ kind }) => kind === 'unknown');
    expect(kinds(outcomes).filter((kind) => kind === 'accepted')).toHaveLength(30 - unknown.length);
    expect(unknown.length).toBeGreaterThanOrEqual(6);
    expect(unknown.length).toBeLessThanOrEqual(10);
    expect(unknown.every((outcome) => outcome.kind === 'unknown' && outcome.code === 'connection_lost')).toBe(true);
    const destinations = peer.submits().map(({ body }) => body.destination_addr);
    expect(new Set(destinations).size).toBe(destinations.length);
  });
});

describe('an answer that never comes', () => {
  it('makes the part unknown after the time limit and frees its place', async () => {
    const { channel } = await connect(
      (pdu, connection) => {
        if (pdu.command !== 'submit_sm') return false;
        return pdu.body.destination_addr.endsWith('0') ? true : acceptAll(pdu, connection);
      },
      { window: 1, response_timeout_ms: 300 },
    );
    const outcomes = await submitAll(channel, createParts(3));
    expect(outcomes).toMatchObject([
      { kind: 'unknown', code: 'response_timeout' },
      { kind: 'accepted' },
      { kind: 'accepted' },
    ]);
  });

  it('is passed on when it arrives late', async () => {
    let answer = () => {};
    const { channel } = await connect(
      (pdu, { send }) => {
        if (pdu.command !== 'submit_sm') return false;
        answer = () => send('submit_sm_resp', 0, pdu.sequence, { message_id: 'late' });
        return true;
      },
      { response_timeout_ms: 60 },
    );
    const late: SubmitOutcome[] = [];
    channel.onLateAnswer?.((outcome) => late.push(outcome));
    const part = createPart();
    expect(kinds(await submitAll(channel, [part]))).toEqual(['unknown']);
    answer();
    await waitFor(() => late.length === 1);
    expect(late).toEqual([{ part, kind: 'accepted', messageId: 'late' }]);
  });

  it('is not made up by load: answers that wait unread are read before anything times out', async () => {
    const held: (() => void)[] = [];
    const { channel } = await connect(
      (pdu, connection) => {
        if (pdu.command !== 'submit_sm') return false;
        held.push(() => acceptAll(pdu, connection));
        return true;
      },
      { response_timeout_ms: 100 },
    );
    const outcomes = submitAll(channel, createParts(5));
    // The peer, in this same process, answers; then the process is held up for longer than the time limit with the answers
    // in the socket.
    await waitFor(() => held.length === 5);
    for (const answer of held) answer();
    await new Promise((resolve) => process.nextTick(resolve));
    const until = performance.now() + 400;
    while (performance.now() < until);
    expect(new Set(kinds(await outcomes))).toEqual(new Set(['accepted']));
  });
});

describe('answers', () => {
  it.each([
    [STATUS.ESME_RTHROTTLED, { kind: 'throttled', code: 'ESME_RTHROTTLED' }],
    [STATUS.ESME_RMSGQFUL, { kind: 'throttled', code: 'ESME_RMSGQFUL' }],
    [STATUS.ESME_RINVDSTADR, { kind: 'refused', code: 'ESME_RINVDSTADR' }],
    [0x0400, { kind: 'refused', code: '0x00000400' }],
  ])('of status %i become an outcome', async (status, expected) => {
    const { channel } = await connect((pdu, { send }) => {
      if (pdu.command !== 'submit_sm') return false;
      send('submit_sm_resp', status, pdu.sequence);
      return true;
    });
    expect(await submitAll(channel, [createPart()])).toMatchObject([expected]);
  });

  it('may be a generic_nack, which is a refusal', async () => {
    const { channel } = await connect((pdu, { send }) => {
      if (pdu.command !== 'submit_sm') return false;
      send('generic_nack', STATUS.ESME_RINVCMDLEN, pdu.sequence);
      return true;
    });
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind: 'refused', code: 'ESME_RINVCMDLEN' }]);
  });

  it('are handled before the requests that came ahead of them', async () => {
    const order: string[] = [];
    const peer = await startPeer((pdu, connection) => {
      if (pdu.command !== 'submit_sm') return false;
      const text = Buffer.from('id:1 stat:DELIVRD');
      connection.deliver(77, { source_addr: '8613800138000', esm_class: 4, short_message: text });
      return acceptAll(pdu, connection);
    });
    opened.push({ close: () => peer.stop() });
    const observer = {
      ...silentObserver,
      outcome: (kind: string) => order.push(kind),
      received: (kind: string) => order.push(kind),
    };
    const { channel } = await openChannel(peer.port, {}, { observer });
    opened.push(channel);
    await submitAll(channel, [createPart()]);
    await waitFor(() => order.length === 2);
    expect(order).toEqual(['accepted', 'report']);
  });

  it('that say the session is not bound cost the part nothing: the session is bound anew', async () => {
    const { channel, peer } = await connect((pdu, connection) => {
      if (pdu.command !== 'submit_sm' || peer.connections.length > 1) return acceptAll(pdu, connection);
      connection.send('submit_sm_resp', STATUS.ESME_RINVBNDSTS, pdu.sequence);
      return true;
    });
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind: 'throttled', code: 'ESME_RINVBNDSTS' }]);
    await waitFor(() => peer.connections.length === 2 && channel.health().state === 'up');
    expect(peer.connections[0]?.all('unbind')).toHaveLength(1);
    expect(kinds(await submitAll(channel, [createPart()]))).toEqual(['accepted']);
  });
});

describe('sequence numbers', () => {
  it('wrap at 0x7fffffff and skip those still in flight', () => {
    const window = createWindow<string>(createCounter(MAX_SEQUENCE - 1));
    window.add(1, 'old', 0);
    window.add(2, 'old', 0);
    expect([1, 2, 3].map(() => window.nextSequence())).toEqual([MAX_SEQUENCE - 1, MAX_SEQUENCE, 3]);
  });
});

describe('enquire_link', () => {
  it('unanswered ends the session, and another is bound', async () => {
    const { peer } = await connect((pdu) => pdu.command === 'enquire_link' && peer.connections.length === 1, {
      enquire_link_ms: 100,
      response_timeout_ms: 60,
    });
    await waitFor(() => peer.connections.length >= 2);
    expect(peer.connections[0]?.all('enquire_link')).toHaveLength(1);
  });

  it('is not sent before the bind is done', async () => {
    let bind = () => {};
    const peer = await startPeer((pdu, { send }) => {
      if (pdu.command !== 'bind_transceiver') return false;
      bind = () => send('bind_transceiver_resp', 0, pdu.sequence, { system_id: '' });
      setTimeout(bind, 400);
      return true;
    });
    opened.push({ close: () => peer.stop() });
    const { channel } = await openChannel(peer.port, { enquire_link_ms: 100, connect_timeout_ms: 5_000 });
    opened.push(channel);
    expect(peer.current().received.map(({ command }) => command)).toEqual(['bind_transceiver']);
    await waitFor(() => peer.current().all('enquire_link').length > 0);
  });

  it('of the peer is answered', async () => {
    const { peer } = await connect(acceptAll);
    peer.current().send('enquire_link', 0, 4711);
    await waitFor(() => peer.current().all('enquire_link_resp').length === 1);
    expect(peer.current().all('enquire_link_resp')).toMatchObject([{ sequence: 4711, status: 0 }]);
  });
});

describe('what else a peer may send', () => {
  it('unbind is answered when the parts in flight have been', async () => {
    let answer = () => {};
    const { channel, peer } = await connect((pdu, connection) => {
      if (pdu.command !== 'submit_sm' || peer.connections.length > 1) return acceptAll(pdu, connection);
      connection.send('unbind', 0, 99);
      answer = () => acceptAll(pdu, connection);
      return true;
    });
    const [first] = peer.connections;
    const outcomes = submitAll(channel, [createPart()]);
    await waitFor(() => channel.health().state === 'down');
    expect(first?.all('unbind_resp')).toHaveLength(0);
    answer();
    expect(kinds(await outcomes)).toEqual(['accepted']);
    await waitFor(() => peer.connections.length === 2);
    expect(first?.all('unbind_resp')).toMatchObject([{ sequence: 99, status: 0 }]);
  });

  it('alert_notification and outbind ask for no answer', async () => {
    const { channel, peer } = await connect(acceptAll);
    const connection = peer.current();
    connection.send('alert_notification', 0, 5, {
      source_addr_ton: 1,
      source_addr_npi: 1,
      source_addr: '1',
      esme_addr_ton: 1,
      esme_addr_npi: 1,
      esme_addr: '2',
    });
    connection.send('outbind', 0, 6, { system_id: 'x', password: 'y' });
    expect(kinds(await submitAll(channel, [createPart()]))).toEqual(['accepted']);
    expect(connection.received.map(({ command }) => command)).toEqual(['bind_transceiver', 'submit_sm']);
  });

  it('a request that no client serves, or that makes no sense, gets a generic_nack', async () => {
    const { channel, peer } = await connect(acceptAll);
    const connection = peer.current();
    const unknown = Buffer.from('00000010000007770000000000000021', 'hex');
    const truncated = Buffer.from('0000001200000005000000000000002200ff', 'hex');
    connection.socket.write(Buffer.concat([unknown, truncated]));
    await waitFor(() => connection.all('generic_nack').length === 2);
    expect(connection.all('generic_nack')).toMatchObject([
      { sequence: 0x21, status: STATUS.ESME_RINVCMDID },
      { sequence: 0x22, status: STATUS.ESME_RINVCMDLEN },
    ]);
    expect(kinds(await submitAll(channel, [createPart()]))).toEqual(['accepted']);
    expect(peer.connections).toHaveLength(1);
  });

  it.each(['ffffffff', '0000000f', '00100000'])(
    'a frame of length %s ends the session, never the process',
    async (hex) => {
      const { channel, peer } = await connect(acceptAll);
      peer.current().socket.write(Buffer.from(hex, 'hex'));
      await waitFor(() => peer.connections.length === 2 && channel.health().state === 'up');
      expect(peer.connections[0]?.all('generic_nack')).toMatchObject([{ sequence: 0, status: STATUS.ESME_RINVCMDLEN }]);
      expect(kinds(await submitAll(channel, [createPart()]))).toEqual(['accepted']);
    },
  );

  it('a peer that resets the connection while it is written to ends the session, never the process', async () => {
    const { channel, peer } = await connect((pdu, connection) => {
      if (pdu.command !== 'submit_sm' || peer.connections.length > 1) return acceptAll(pdu, connection);
      connection.socket.resetAndDestroy();
      return true;
    });
    expect(kinds(await submitAll(channel, createParts(5))).includes('unknown')).toBe(true);
    await waitFor(() => channel.health().state === 'up');
  });
});
