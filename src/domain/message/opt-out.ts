// What a handset writes to hear no more of a customer, and to hear of it again.

const STOP_WORDS: ReadonlySet<string> = new Set(['STOP', 'UNSUBSCRIBE', 'TD', '退订']);
const START_WORDS: ReadonlySet<string> = new Set(['START']);

/** Only a text that is nothing but the word counts; white space around it does not matter. */
export function readOptWish(text: string): 'stop' | 'start' | undefined {
  const word = text.trim().toUpperCase();
  if (STOP_WORDS.has(word)) return 'stop';
  return START_WORDS.has(word) ? 'start' : undefined;
}
