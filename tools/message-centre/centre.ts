// A small message centre on a real socket, in any protocol. It accepts what it is sent, reports the outcomes, and misbehaves
// on request in every way that carriers do.
import { createServer, type Server, type Socket } from 'node:net';
import { createDelayQueue } from './delay-queue.js';
import { createFateChooser, type Fate } from './fate.js';
import { openJournal } from './journal.js';
import type { CommonOptions } from './options.js';
import { createSenderPool } from './post-office.js';
import type { CentreEvents, CentreProtocol, CentreSession, Delivery, Submitted } from './protocol.js';
import { createRateLimit } from './rate-limit.js';
import { createReporter } from './reporting.js';
import { type Counts, createTally } from './tally.js';

/** How long a message that the client turned away rests before it goes again. */
const REDELIVER_MS = 50;
/** A message that waits for a login goes without one in the end. */
const MAX_KEPT_MS = 5_000;

export interface MessageCentre {
  readonly port: number;
  counts(): Counts;
  destinations(): Record<string, number>;
  /** Deliveries that wait for their time, for a session or for room. */
  pending(): number;
  stop(): Promise<void>;
}

export async function startCentre<S extends Submitted, D extends Delivery>(
  options: CommonOptions,
  random: () => number,
  protocol: CentreProtocol<S, D>,
): Promise<MessageCentre> {
  const chooseFate = createFateChooser(options, random);
  const tally = createTally();
  const sockets = new Set<Socket>();
  const due = createDelayQueue<() => void>(
    () => performance.now(),
    (run) => run(),
  );
  const office = createSenderPool<D>(random);
  /** Deliveries that wait for the next login of their account. */
  const kept = new Set<D>();
  const dueWithoutLogin = createDelayQueue<D>(
    () => performance.now(),
    (delivery) => {
      if (kept.delete(delivery)) office.post(delivery);
    },
  );
  const report = createReporter(protocol, { tally, post, copyLater: (run) => after(options.duplicateMs, run) });
  const journal = openJournal(options.journal);
  const isWithinRate = createRateLimit(options.throttleAbove, () => performance.now());
  let isStopping = false;

  function post(delivery: D): void {
    if (options.atLoginRate === 0 || random() >= options.atLoginRate) {
      office.post(delivery);
      return;
    }
    kept.add(delivery);
    dueWithoutLogin.add(MAX_KEPT_MS, delivery);
  }

  /** Right behind the answer to the login, in the same write. */
  function postKept({ account }: CentreSession<S, D>): void {
    for (const delivery of kept) {
      if (delivery.account !== account) continue;
      kept.delete(delivery);
      office.post(delivery);
    }
  }

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

  function accept(session: CentreSession<S, D>, submitted: S, readText: () => string, fate: Fate): void {
    const account = session.account ?? '';
    const { segment } = submitted;
    tally.accept(submitted.to, segment?.part ?? 0);
    const ids = protocol.createIds(submitted);
    journal.accept(submitted, readText, ids.answer, Date.now());
    const isLast = segment === undefined || segment.part === segment.parts;
    const reportNow = () => report({ submitted, account, fate, ids, isLast });
    if (fate.receipt === 'early') {
      tally.add('early');
      reportNow();
    }
    after(drawAnswerMs(), () => {
      if (fate.answer === 'lose') tally.add('answersLost');
      else session.answer(submitted, 'accept', ids.answer);
      if (fate.receipt === 'none') tally.add('withheld');
      else if (fate.receipt === 'late') tally.add('late');
      else if (fate.receipt === 'shuffled') tally.add('reordered');
      if (fate.receipt !== 'early') after(drawReceiptMs(fate.receipt), reportNow);
    });
  }

  function turnAway(session: CentreSession<S, D>, submitted: S, answer: 'refuse' | 'throttle'): void {
    tally.add(answer === 'throttle' ? 'throttled' : 'refused');
    after(drawAnswerMs(), () => session.answer(submitted, answer, ''));
  }

  function handleSubmit(session: CentreSession<S, D>, submitted: S, readText: () => string): void {
    tally.add('submits');
    const submits = tally.submits();
    const chosen = chooseFate(submitted.to);
    const fate = isWithinRate() ? chosen : { ...chosen, answer: 'throttle' as const };
    if (fate.answer === 'swallow') tally.add('swallowed');
    else if (fate.answer === 'refuse' || fate.answer === 'throttle') turnAway(session, submitted, fate.answer);
    // A cut at an accepted part is the hardest case: it has arrived, and sending it again doubles it.
    else accept(session, submitted, readText, fate);
    misbehave(session, submits);
  }

  function misbehave(session: CentreSession<S, D>, submits: number): void {
    const isTime = (every: number) => every > 0 && submits % every === 0;
    if (isTime(options.cutEvery)) {
      tally.add('cuts');
      session.cut();
      return;
    }
    if (isTime(options.garbageEvery)) {
      tally.add('garbage');
      session.sendGarbage(protocol.createGarbage());
    }
    if (isTime(options.unbindEvery)) {
      tally.add('unbinds');
      session.unbind();
    }
  }

  const events: CentreEvents<S, D> = {
    onBound(session) {
      tally.add('binds');
      office.open(session);
      office.postWaiting(session);
      postKept(session);
    },
    onSubmit: handleSubmit,
    onRoom: office.postWaiting,
    onAcknowledged({ about }) {
      if (about !== undefined) journal.acknowledge(about, Date.now());
      office.settle();
      tally.add('acknowledged');
    },
    onReturned(delivery, why) {
      office.settle();
      if (isStopping) return;
      if (why === 'refused' && !options.repeatRefused) {
        tally.add('givenUp');
        return;
      }
      tally.add('redelivered');
      after(why === 'lost' ? 0 : REDELIVER_MS, () => office.post(delivery));
    },
    onMalformed: () => tally.add('malformed'),
    onClosed: office.close,
  };

  function handleSocket(socket: Socket): void {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    protocol.serve(socket, events);
  }

  const server = createServer(handleSocket);
  await listen(server, options.port, options.host);
  const address = server.address();
  let stopping: Promise<void> | undefined;

  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    counts: tally.counts,
    destinations: tally.destinations,
    pending: () => due.size + kept.size + office.pending(),
    stop() {
      isStopping = true;
      stopping ??= new Promise((resolve) => {
        due.stop();
        dueWithoutLogin.stop();
        protocol.stop?.();
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
