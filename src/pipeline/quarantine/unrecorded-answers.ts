// Customers of a channel whose intents or answers could not be written. Nothing more of them is sent on the channel until their answers
// are recorded, so that never more waits than was in flight. Their answers are retried in separate transactions: in a shared one they
// would make the answers of others fail.

import type { CustomerId } from '../../domain/id.js';
import type { Log } from '../../domain/log.js';
import type { Quarantine, UnrecordedAnswer } from './quarantine.js';

/** The answers that failed again, and the error of the first. */
export interface RetryFailure<Answer> {
  readonly answers: readonly Answer[];
  readonly error: unknown;
}

export interface UnrecordedAnswersOptions<Answer extends UnrecordedAnswer> {
  readonly channelId: bigint;
  readonly quarantine: Quarantine;
  readonly log: Log;
  /** Writes the answers of one customer. */
  readonly retry: (answers: readonly Answer[]) => Promise<RetryFailure<Answer> | undefined>;
  /** The customer may send again; its chunks are read again from the database. */
  readonly onRelease: (customerId: CustomerId) => void;
}

export interface UnrecordedAnswers<Answer extends UnrecordedAnswer> {
  /** Whether the customer is quarantined on this channel. */
  has(customerId: CustomerId): boolean;
  /** Quarantines a customer, with an answer to write later if there is one. */
  add(customerId: CustomerId, error: unknown, answer?: Answer): void;
  /** A write for this customer succeeded: resets its backoff. */
  noteSuccess(customerId: CustomerId): void;
  /** Tries once more. Parts that are left are marked unknown when the channel is opened again. */
  stop(): Promise<void>;
}

interface Held<Answer> {
  readonly customerId: CustomerId;
  readonly answers: Answer[];
  timer: NodeJS.Timeout | undefined;
  retrying: Promise<void> | undefined;
}

export function createUnrecordedAnswers<Answer extends UnrecordedAnswer>(
  options: UnrecordedAnswersOptions<Answer>,
): UnrecordedAnswers<Answer> {
  const { channelId, quarantine, log } = options;
  const customers = new Map<CustomerId, Held<Answer>>();
  let isStopping = false;

  const open = (customerId: CustomerId, error: unknown): Held<Answer> => {
    const held: Held<Answer> = { customerId, answers: [], timer: undefined, retrying: undefined };
    customers.set(customerId, held);
    const customer = String(customerId);
    log.error({ err: error, customer }, 'a customer is quarantined on this channel: its parts cannot be recorded');
    backOff(held, error);
    return held;
  };

  const backOff = (held: Held<Answer>, error: unknown): void => {
    const { customerId, answers } = held;
    held.timer = setTimeout(() => void retry(held), quarantine.holdCustomer({ channelId, customerId }, error, answers));
  };

  const retry = (held: Held<Answer>): Promise<void> => {
    clearTimeout(held.timer);
    held.retrying ??= retryAll(held).finally(() => {
      held.retrying = undefined;
    });
    return held.retrying;
  };

  const retryAll = async (held: Held<Answer>): Promise<void> => {
    const { customerId, answers } = held;
    // Answers of parts in flight may have been added meanwhile.
    while (answers.length > 0) {
      const tried = [...answers];
      const failure = await options.retry(tried);
      // Listed until they are written.
      answers.splice(0, tried.length, ...(failure?.answers ?? []));
      if (failure === undefined) continue;
      if (!isStopping) return backOff(held, failure.error);
      break;
    }
    customers.delete(customerId);
    quarantine.releaseCustomer({ channelId, customerId });
    options.onRelease(customerId);
  };

  return {
    has: (customerId) => customers.has(customerId),
    add(customerId, error, answer) {
      if (isStopping && answer !== undefined) return;
      const held = customers.get(customerId) ?? open(customerId, error);
      if (answer !== undefined) held.answers.push(answer);
    },
    noteSuccess(customerId) {
      if (!customers.has(customerId)) quarantine.forgetCustomer({ channelId, customerId });
    },
    async stop() {
      isStopping = true;
      await Promise.all([...customers.values()].map(retry));
      quarantine.forgetChannel(channelId);
    },
  };
}
