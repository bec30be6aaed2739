// The sessions of a channel open before the pipeline is ready to receive, and carriers send what they kept right behind the login. For
// many of them an error answer, or none, is the end of a delivery report. Until the pipeline listens, feedback is held here, unanswered,
// for every driver. A session limits how much that is: it has at most 2,000 messages unanswered.

import type { Channel, Feedback } from './channel.js';

export interface HeldFeedback {
  /** Passes on what is held, in the order of arrival, and then what arrives. */
  release(listener: (feedback: Feedback) => void): void;
  /** The channel closes: the carrier sends again what has had no listener. */
  giveBack(): void;
}

/** Called before the channel can have received anything. */
export function holdFeedback(channel: Channel): HeldFeedback {
  const held: Feedback[] = [];
  const hold = (feedback: Feedback): void => void held.push(feedback);
  let receive = hold;
  channel.onFeedback((feedback) => receive(feedback));
  return {
    release(listener) {
      receive = listener;
      for (const feedback of held.splice(0)) listener(feedback);
    },
    giveBack() {
      if (receive !== hold) return;
      receive = (feedback) => feedback.nack();
      for (const feedback of held.splice(0)) feedback.nack();
    },
  };
}
