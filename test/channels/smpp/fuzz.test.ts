// Millions of octets of nonsense into the codec, and as many into a session: no crash, no unbounded memory, and the
// channel works as before when it is over.
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { decodePdu, encodePdu } from '../../../src/channels/smpp/codec.js';
import { createPduFramer, MAX_FRAME_BYTES } from '../../../src/channels/smpp/framing.js';
import { COMMANDS, EMPTY_MESSAGE } from '../../../src/channels/smpp/pdu.js';
import { createRandom } from '../../../tools/message-centre/fate.js';
import { scaleRuns } from '../../support/property-runs.js';
import { acceptAll, createPart, openChannel, type PeerConnection, startPeer, submitAll, waitFor } from './peer.js';

const TOTAL_BYTES = scaleRuns(10_000_000);
const MAX_GROWTH_BYTES = 256 * 1024 * 1024;
const seed = Number(process.env.SMPP_FUZZ_SEED ?? Date.now() % 1_000_000);

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const ids = Object.values(COMMANDS).map(({ id }) => id);

/** Frames that a framer can follow: random bodies under real commands, and real messages with octets changed. */
function createFrame(random: () => number): Buffer {
  const below = (limit: number) => Math.floor(random() * limit);
  if (random() < 0.5) {
    const frame = Buffer.alloc(16 + below(random() < 0.02 ? 5_000 : 300));
    for (let at = 4; at < frame.length; at += 1) frame[at] = below(256);
    frame.writeUInt32BE(frame.length, 0);
    if (random() < 0.95) frame.writeUInt32BE(ids[below(ids.length)] ?? 0, 4);
    return frame;
  }
  const target = Buffer.alloc(1_000);
  const text = `id:${below(1e9)} stat:DELIVRD err:000`;
  const body = {
    ...EMPTY_MESSAGE,
    source_addr: '8613800138000',
    esm_class: below(256),
    data_coding: below(256),
    short_message: Buffer.from(text),
  };
  const end = encodePdu(target, 0, 'deliver_sm', 0, below(0x7fffffff), body, { message_state: 2, sar_msg_ref_num: 1 });
  for (let change = below(4); change > 0; change -= 1) target[16 + below(end - 16)] = below(256);
  return target.subarray(0, end);
}

describe(`with seed ${seed}`, () => {
  it(`the codec reads ${TOTAL_BYTES} octets of nonsense`, () => {
    const random = createRandom(seed);
    let read = 0;
    while (read < TOTAL_BYTES) {
      const frame = createFrame(random);
      read += frame.length;
      expect(decodePdu(frame).command).toBeTypeOf('string');
    }
  });

  it('a framer is never made to hold more than one frame', () => {
    const random = createRandom(seed + 1);
    let read = 0;
    while (read < TOTAL_BYTES) {
      const framer = createPduFramer();
      let isSound = true;
      while (isSound && read < TOTAL_BYTES) {
        // Lengths that may be sane keep a framer going for a while before it gives up on the stream.
        const chunk = Buffer.from(Array.from({ length: 512 }, () => Math.floor(random() * 256)));
        if (random() < 0.9) chunk.writeUInt32BE(Math.floor(random() * MAX_FRAME_BYTES), 0);
        read += chunk.length;
        isSound = framer.push(chunk, (frame) => decodePdu(frame));
        expect(framer.pendingBytes).toBeLessThanOrEqual(MAX_FRAME_BYTES);
      }
    }
  });

  it(`a session survives ${TOTAL_BYTES} octets of nonsense`, async () => {
    const random = createRandom(seed + 2);
    const start = process.memoryUsage().rss;
    let written = 0;
    let isOver = false;

    async function pour(connection: PeerConnection): Promise<void> {
      const { socket } = connection;
      while (!isOver && !connection.isClosed && written < TOTAL_BYTES) {
        const frames = Array.from({ length: 100 }, () => createFrame(random));
        // Now and then a length that no frame can have, which ends the session.
        if (random() < 0.02) frames.push(Buffer.from([255, 255, 255, 255]));
        const chunk = Buffer.concat(frames);
        written += chunk.length;
        if (!socket.write(chunk))
          await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => undefined);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }

    const peer = await startPeer((pdu, connection) => {
      connection.received.length = 0;
      if (pdu.command === 'bind_transceiver') setImmediate(() => pour(connection));
      return acceptAll(pdu, connection);
    });
    closers.push(() => peer.stop());
    const { channel } = await openChannel(peer.port, {
      reconnect_min_ms: 1,
      reconnect_max_ms: 2,
      reassembly_ms: 50,
      response_timeout_ms: 200,
    });
    closers.push(() => channel.close());
    channel.onFeedback((feedback) => feedback.ack());
    let peak = 0;
    await waitFor(() => {
      peak = Math.max(peak, process.memoryUsage().rss - start);
      return written >= TOTAL_BYTES;
    });
    isOver = true;
    expect(peak).toBeLessThan(MAX_GROWTH_BYTES);
    expect(peer.connections.length).toBeGreaterThan(1);
    await waitFor(() => channel.health().state === 'up');
    const outcomes = await submitAll(channel, [createPart()]);
    expect(['accepted', 'unknown']).toContain(outcomes[0]?.kind);
    await waitFor(() => channel.health().state === 'up');
    expect(await submitAll(channel, [createPart()])).toMatchObject([{ kind: 'accepted' }]);
  });
});
