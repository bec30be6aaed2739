// Reads the payload of a task: the phones of its numbers as E.164 and their texts. It is the slow part of planning.

import { type Alphabet, countParts } from '../message/parts.js';
import { parseTemplate, renderTemplate } from '../message/template.js';
import { normalisePhone, type Region } from '../phone/phone.js';
import { isEach, type Payload, variablesOf } from '../request/payload.js';
import type { Steps } from '../steps.js';

export interface NormalisedPayload {
  readonly payload: Payload;
  /** E.164 digits at each position, undefined for an invalid number. */
  readonly to: readonly (string | undefined)[];
  readonly messages: Messages;
}

/** The text of each number and its number of parts in an alphabet. */
interface Messages {
  /** Set if all numbers have the same text. */
  readonly common: string | undefined;
  text(index: number): string;
  parts(index: number, alphabet: Alphabet): number;
}

/** 5,000 numbers in unusual notation take 150 ms. */
export function* normalisePayload(payload: Payload, region: Region): Steps<NormalisedPayload> {
  const messages = yield* renderMessages(payload);
  const to: (string | undefined)[] = [];
  for (const [index, phone] of payload.phones.entries()) {
    if (index % NUMBERS_A_STEP === 0) yield;
    to.push(normalisePhone(phone, region));
  }
  return { payload, to, messages };
}

/** The phone number library takes up to 30 µs a number. */
export const NUMBERS_A_STEP = 8;

function* renderMessages(payload: Payload): Steps<Messages> {
  const template = parseTemplate(payload.body);
  if (!isEach(payload.variables)) {
    const common = renderTemplate(template, payload.variables);
    const counts = new Map<Alphabet, number>();
    const parts = (_: number, alphabet: Alphabet) => {
      const count = counts.get(alphabet) ?? countParts(common, alphabet);
      counts.set(alphabet, count);
      return count;
    };
    return { common, text: () => common, parts };
  }
  const texts: string[] = [];
  for (let index = 0; index < payload.phones.length; index++) {
    if (index % NUMBERS_A_STEP === 0) yield;
    texts.push(renderTemplate(template, variablesOf(payload, index)));
  }
  const text = (index: number) => texts[index] ?? '';
  return { common: undefined, text, parts: (index, alphabet) => countParts(text(index), alphabet) };
}
