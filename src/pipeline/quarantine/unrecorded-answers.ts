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

interface QuarantinedCustomer<Answer> {
  readonly customerId: CustomerId;
  readonly answers: Answer[];
  timer: NodeJS.Timeout | undefined;
  retrying: Promise<void> | undefined;
}

export function createUnrecordedAnswers<Answer extends UnrecordedAnswer>(
  options: UnrecordedAnswersOptions<Answer>,
): UnrecordedAnswers<Answer> {
  const { channelId, quarantine, log } = options;
  const customers = new Map<CustomerId, QuarantinedCustomer<Answer>>();
  let isStopping = false;

  const open = (customerId: CustomerId, error: unknown): QuarantinedCustomer<Answer> => {
    const entry: QuarantinedCustomer<Answer> = { customerId, answers: [], timer: undefined, retrying: undefined };
    customers.set(customerId, entry);
    const customer = String(customerId);
    log.error({ err: error, customer }, 'a customer is quarantined on this channel: its parts cannot be recorded');
    backOff(entry, error);
    return entry;
  };

  const backOff = (entry: QuarantinedCustomer<Answer>, error: unknown): void => {
    const { customerId, answers } = entry;
    entry.timer = setTimeout(
      () => void retry(entry),
      quarantine.addCustomer({ channelId, customerId }, error, answers),
    );
  };

  const retry = (entry: QuarantinedCustomer<Answer>): Promise<void> => {
    clearTimeout(entry.timer);
    entry.retrying ??= retryAll(entry).finally(() => {
      entry.retrying = undefined;
    });
    return entry.retrying;
  };

  const retryAll = async (entry: QuarantinedCustomer<Answer>): Promise<void> => {
    const { customerId, answers } = entry;
    // Answers of parts in flight may have been added meanwhile.
    while (answers.length > 0) {
      const tried = [...answers];
      const failure = await options.retry(tried);
      // Listed until they are written.
      answers.splice(0, tried.length, ...(failure?.answers ?? []));
      if (failure === undefined) continue;
      if (!isStopping) return backOff(entry, failure.error);
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
      const entry = customers.get(customerId) ?? open(customerId, error);
      if (answer !== undefined) entry.answers.push(answer);
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
