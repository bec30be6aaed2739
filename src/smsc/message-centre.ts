// A small message centre on a real socket. It accepts what it is sent, reports what became of it, and misbehaves on
// request in every way that carriers do.
import { createServer, type Server, type Socket } from 'node:net';
import { readInbound } from '../channels/smpp/long-message.js';
import { type PduOf, STATUS } from '../channels/smpp/pdu.js';
import { createBacklog } from './backlog.js';
import { type CentreEvents, type CentreSession, serveClient } from './centre-session.js';
import { createDelayQueue } from './delay-queue.js';
import { buildReceipt, buildReply, createIdMaker, type Delivery } from './deliveries.js';
import { createFateChooser, createRandom, type Fate } from './fate.js';
import { makeGarbage } from './garbage.js';
import { type CentreOptions, fillOptions } from './options.js';
import { type Counts, createTally } from './tally.js';

/** How long a message that the client turned away rests before it goes again. */
const REDELIVER_MS = 50;

export interface MessageCentre {
  readonly port: number;
  counts(): Counts;
  destinations(): Record<string, number>;
  /** Deliveries that wait for their time, for a session or for room. */
  pending(): number;
  stop(): Promise<void>;
}

export async function startMessageCentre(given: Partial<CentreOptions> = {}): Promise<MessageCentre> {
  const options = fillOptions(given);
  const random = createRandom(options.seed);
  const chooseFate = createFateChooser(options, random);
  const makeIds = createIdMaker(options.ids, Date.now(), random);
  const tally = createTally();
  const sessions = new Set<CentreSession>();
  const sockets = new Set<Socket>();
  const due = createDelayQueue<() => void>(
    () => performance.now(),
    (run) => run(),
  );
  const backlog = createBacklog();
  let unacknowledged = 0;
  let isStopping = false;

  function after(delayMs: number, run: () => void): void {
    if (delayMs === 0) run();
    else due.add(delayMs, run);
  }

  function post(delivery: Delivery): void {
    const session = pickSession(delivery.systemId);
    if (session === undefined) {
      backlog.add(delivery);
      return;
    }
    unacknowledged += 1;
    session.deliver(delivery);
  }

  /** Any session of the account: carriers send a receipt wherever they like. */
  function pickSession(systemId: string): CentreSession | undefined {
    const able = [...sessions].filter((session) => session.systemId === systemId && session.canDeliver());
    return able.length < 2 ? able[0] : able[Math.floor(random() * able.length)];
  }

  function postWaiting(session: CentreSession): void {
    const { systemId } = session;
    if (systemId === undefined) return;
    while (session.canDeliver()) {
      const delivery = backlog.take(systemId);
      if (delivery === undefined) return;
      unacknowledged += 1;
      session.deliver(delivery);
    }
  }

  function report(
    pdu: PduOf<'submit_sm'>,
    systemId: string,
    fate: Fate,
    id: string,
    part: number,
    parts: number,
  ): void {
    if (fate.receipt !== 'none' && (pdu.body.registered_delivery & 0x03) !== 0) {
      const form = { style: options.receipts, nowMs: Date.now(), random };
      const receipt = buildReceipt(pdu, systemId, id, fate.state, form);
      for (let copy = 0; copy < fate.copies; copy += 1) {
        tally.add(copy === 0 ? 'receipts' : 'duplicates');
        post(receipt);
      }
    }
    if (fate.reply !== undefined && part === parts) {
      tally.add('uplinks');
      post(buildReply(pdu, systemId, fate.reply));
    }
  }

  function accept(session: CentreSession, pdu: PduOf<'submit_sm'>, fate: Fate): void {
    const systemId = session.systemId ?? '';
    const { segment } = readInbound(pdu.body.esm_class, pdu.body.short_message, pdu.tlvs);
    tally.accept(pdu.body.destination_addr, segment?.part ?? 0);
    const ids = makeIds();
    const reportNow = () => report(pdu, systemId, fate, ids.receipt, segment?.part ?? 1, segment?.parts ?? 1);
    if (fate.receipt === 'early') {
      tally.add('early');
      reportNow();
    }
    after(options.answerMs, () => {
      if (fate.answer === 'lose') tally.add('answersLost');
      else session.answer(pdu.sequence, STATUS.ESME_ROK, ids.answer);
      if (fate.receipt === 'none') tally.add('withheld');
      else if (fate.receipt === 'late') tally.add('late');
      if (fate.receipt !== 'early') after(fate.receipt === 'late' ? options.lateMs : options.receiptMs, reportNow);
    });
  }

  function turnAway(session: CentreSession, pdu: PduOf<'submit_sm'>, fate: Fate): void {
    const isThrottled = fate.answer === 'throttle';
    tally.add(isThrottled ? 'throttled' : 'refused');
    const throttle = random() < 0.5 ? STATUS.ESME_RTHROTTLED : STATUS.ESME_RMSGQFUL;
    after(options.answerMs, () => session.answer(pdu.sequence, isThrottled ? throttle : STATUS.ESME_RSUBMITFAIL, ''));
  }

  function handleSubmit(session: CentreSession, view: PduOf<'submit_sm'>): void {
    tally.add('submits');
    const submits = tally.submits();
    // The text is a view of what the socket read; a receipt that is due later must not keep all of it.
    const pdu =
      options.receiptMs === 0
        ? view
        : { ...view, body: { ...view.body, short_message: Buffer.from(view.body.short_message) } };
    const fate = chooseFate(pdu.body.destination_addr);
    if (fate.answer === 'swallow') tally.add('swallowed');
    else if (fate.answer === 'refuse' || fate.answer === 'throttle') turnAway(session, pdu, fate);
    // A cut at an accepted part is the hardest case: it has arrived, and whoever sends it again doubles it.
    else accept(session, pdu, fate);
    misbehave(session, submits);
  }

  function misbehave(session: CentreSession, submits: number): void {
    const isTime = (every: number) => every > 0 && submits % every === 0;
    if (isTime(options.cutEvery)) {
      tally.add('cuts');
      session.cut();
      return;
    }
    if (isTime(options.garbageEvery)) {
      tally.add('garbage');
      session.sendGarbage(makeGarbage(random));
    }
    if (isTime(options.unbindEvery)) {
      tally.add('unbinds');
      session.unbind();
    }
  }

  const events: CentreEvents = {
    authenticate(systemId, password) {
      if (options.systemId === '') return STATUS.ESME_ROK;
      if (systemId !== options.systemId) return STATUS.ESME_RINVSYSID;
      return password === options.password ? STATUS.ESME_ROK : STATUS.ESME_RINVPASWD;
    },
    onBound(session) {
      tally.add('binds');
      sessions.add(session);
      postWaiting(session);
    },
    onSubmit: handleSubmit,
    onRoom: postWaiting,
    onAcknowledged() {
      unacknowledged -= 1;
      tally.add('acknowledged');
    },
    onReturned(delivery, isTurnedAway) {
      unacknowledged -= 1;
      if (isStopping) return;
      tally.add('redelivered');
      after(isTurnedAway ? REDELIVER_MS : 0, () => post(delivery));
    },
    onMalformed: () => tally.add('malformed'),
    onClosed: (session) => sessions.delete(session),
  };

  function handleSocket(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    serveClient(socket, options, events);
  }

  const server = createServer(handleSocket);
  await listen(server, options.port, options.host);
  const address = server.address();
  let stopping: Promise<void> | undefined;

  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    counts: tally.counts,
    destinations: tally.destinations,
    pending: () => due.size + backlog.size + unacknowledged,
    stop() {
      isStopping = true;
      stopping ??= new Promise((resolve) => {
        due.stop();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      });
      return stopping;
    },
  };
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
