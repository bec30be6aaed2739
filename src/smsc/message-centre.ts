// A small message centre on a real socket. It accepts what it is sent, reports what became of it, and misbehaves on
// request in every way that carriers do.
import { createServer, type Server, type Socket } from 'node:net';
import { readInbound } from '../channels/smpp/long-message.js';
import { type PduOf, STATUS } from '../channels/smpp/pdu.js';
import { type CentreEvents, type CentreSession, serveClient } from './centre-session.js';
import { createDelayQueue } from './delay-queue.js';
import { createIdMaker } from './deliveries.js';
import { createFateChooser, createRandom, type Fate } from './fate.js';
import { makeGarbage } from './garbage.js';
import { openJournal } from './journal.js';
import { type CentreOptions, fillOptions } from './options.js';
import { createPostOffice } from './post-office.js';
import { createRateLimit } from './rate-limit.js';
import { createReporter } from './reporting.js';
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
  const sockets = new Set<Socket>();
  const due = createDelayQueue<() => void>(
    () => performance.now(),
    (run) => run(),
  );
  const office = createPostOffice(random);
  const report = createReporter(options, { random, tally, post: office.post });
  const journal = openJournal(options.journal);
  const isWithinRate = createRateLimit(options.throttleAbove, () => performance.now());
  let isStopping = false;

  function after(delayMs: number, run: () => void): void {
    if (delayMs === 0) run();
    else due.add(delayMs, run);
  }

  function drawAnswerMs(): number {
    const { answerMs, answerMaxMs } = options;
    return answerMaxMs <= answerMs ? answerMs : answerMs + Math.floor(random() * (answerMaxMs - answerMs + 1));
  }

  function drawReceiptMs(receipt: Fate['receipt']): number {
    if (receipt === 'late') return options.lateMs;
    return receipt === 'shuffled' ? Math.floor(random() * options.lateMs) : options.receiptMs;
  }

  function accept(session: CentreSession, pdu: PduOf<'submit_sm'>, fate: Fate): void {
    const systemId = session.systemId ?? '';
    const read = readInbound(pdu.body.esm_class, pdu.body.short_message, pdu.tlvs);
    const { segment } = read;
    tally.accept(pdu.body.destination_addr, segment?.part ?? 0);
    const ids = makeIds();
    journal.accept(pdu, read, ids.answer, Date.now());
    const isLast = segment === undefined || segment.part === segment.parts;
    const reportNow = () => report({ pdu, systemId, fate, id: ids.receipt, answeredId: ids.answer, isLast });
    if (fate.receipt === 'early') {
      tally.add('early');
      reportNow();
    }
    after(drawAnswerMs(), () => {
      if (fate.answer === 'lose') tally.add('answersLost');
      else session.answer(pdu.sequence, STATUS.ESME_ROK, ids.answer);
      if (fate.receipt === 'none') tally.add('withheld');
      else if (fate.receipt === 'late') tally.add('late');
      else if (fate.receipt === 'shuffled') tally.add('reordered');
      if (fate.receipt !== 'early') after(drawReceiptMs(fate.receipt), reportNow);
    });
  }

  function turnAway(session: CentreSession, pdu: PduOf<'submit_sm'>, fate: Fate): void {
    const isThrottled = fate.answer === 'throttle';
    tally.add(isThrottled ? 'throttled' : 'refused');
    const throttle = random() < 0.5 ? STATUS.ESME_RTHROTTLED : STATUS.ESME_RMSGQFUL;
    after(drawAnswerMs(), () => session.answer(pdu.sequence, isThrottled ? throttle : STATUS.ESME_RSUBMITFAIL, ''));
  }

  function handleSubmit(session: CentreSession, view: PduOf<'submit_sm'>): void {
    tally.add('submits');
    const submits = tally.submits();
    // The text is a view of what the socket read; a receipt that is due later must not keep all of it.
    const pdu =
      options.receiptMs === 0 && options.answerMs === 0 && options.answerMaxMs === 0
        ? view
        : { ...view, body: { ...view.body, short_message: Buffer.from(view.body.short_message) } };
    const chosen = chooseFate(pdu.body.destination_addr);
    const fate = isWithinRate() ? chosen : { ...chosen, answer: 'throttle' as const };
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
      office.open(session);
      office.postWaiting(session);
    },
    onSubmit: handleSubmit,
    onRoom: office.postWaiting,
    onAcknowledged({ about }) {
      if (about !== undefined) journal.acknowledge(about, Date.now());
      office.settle();
      tally.add('acknowledged');
    },
    onReturned(delivery, isTurnedAway) {
      office.settle();
      if (isStopping) return;
      tally.add('redelivered');
      after(isTurnedAway ? REDELIVER_MS : 0, () => office.post(delivery));
    },
    onMalformed: () => tally.add('malformed'),
    onClosed: office.close,
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
    pending: () => due.size + office.pending(),
    stop() {
      isStopping = true;
      stopping ??= new Promise((resolve) => {
        due.stop();
        server.close(() => {
          journal.close();
          resolve();
        });
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
