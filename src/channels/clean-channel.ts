// What every channel does for the pipeline, whatever its driver: it holds feedback until the pipeline listens, and sanitises everything
// that it receives from outside: feedback, and the ids and codes of answers.

import type { Log } from '../domain/log.js';
import type { Channel, SubmitOutcome } from './channel.js';
import { cleanFeedback, cleanOutcome } from './clean-feedback.js';
import { holdFeedback } from './held-feedback.js';

export function cleanChannel(channel: Channel, log: Log): Channel {
  const { accepts, resume, load, onSession, onLateAnswer } = channel;
  const held = holdFeedback(channel);
  return {
    window: channel.window,
    submit: (parts, signal) => cleanOutcomes(channel.submit(parts, signal)),
    onFeedback(listener) {
      held.release((raw) => {
        const feedback = cleanFeedback(raw);
        try {
          listener(feedback);
        } catch (err) {
          // The carrier sends it again; one bad message must not end the session.
          log.error({ err, kind: feedback.kind }, 'feedback could not be handled; the upstream sends it again');
          feedback.nack();
        }
      });
    },
    ...(onLateAnswer && {
      onLateAnswer: (listener) => onLateAnswer.call(channel, (outcome) => listener(cleanOutcome(outcome))),
    }),
    ...(accepts && { accepts: () => accepts.call(channel) }),
    ...(resume && { resume: (parts) => resume.call(channel, parts) }),
    ...(onSession && { onSession: (listener) => onSession.call(channel, listener) }),
    ...(load && { load: () => load.call(channel) }),
    health: () => channel.health(),
    close() {
      const closed = channel.close();
      held.giveBack();
      return closed;
    },
  };
}

/** An iterator and not a generator, which would cost one more promise for each part. */
function cleanOutcomes(outcomes: AsyncIterable<SubmitOutcome>): AsyncIterable<SubmitOutcome> {
  return {
    [Symbol.asyncIterator]() {
      const inner = outcomes[Symbol.asyncIterator]();
      const clean = (next: IteratorResult<SubmitOutcome>): IteratorResult<SubmitOutcome> =>
        next.done === true ? next : { done: false, value: cleanOutcome(next.value) };
      return {
        next: () => inner.next().then(clean),
        ...(inner.return && { return: () => inner.return?.() ?? Promise.resolve({ done: true, value: undefined }) }),
      };
    },
  };
}
