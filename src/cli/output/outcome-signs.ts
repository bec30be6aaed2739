import { OUTCOME_LOOKS, type Outcome, outcomeOf } from '@postrider/client';
import type { Output } from '../terminal.js';

/** In the colour of the outcome, where colours are wanted. */
export function paintOutcome(output: Output, outcome: Outcome, text: string): string {
  return output.color ? `\u001b[${OUTCOME_LOOKS[outcome].terminalColor}m${text}\u001b[0m` : text;
}

/** The word of an outcome with its sign before it, for people; programs that read along get the word alone. */
export function signOutcome(output: Output, word: string): string {
  const outcome = output.isTty ? outcomeOf(word) : undefined;
  return outcome === undefined ? word : `${OUTCOME_LOOKS[outcome].sign} ${word}`;
}
