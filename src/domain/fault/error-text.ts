// What an answer says about an error: a stable key with parameters for programs, and the sentence that they make for people.

import { FAULT_TEXTS } from './fault-texts.js';
import { PROBLEM_TEXTS } from './problem-texts.js';

const TEXTS = { ...FAULT_TEXTS, ...PROBLEM_TEXTS };

export type ErrorKey = keyof typeof TEXTS;
export const ERROR_KEYS = Object.keys(TEXTS) as readonly ErrorKey[];

export type ErrorParams = Readonly<Record<string, string | number>>;

export interface ErrorText {
  readonly key: ErrorKey;
  readonly params: ErrorParams;
  readonly text: string;
}

/** The names that a sentence has in braces. */
type NamesIn<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;

type ParamsOf<Key extends ErrorKey> = Readonly<Record<NamesIn<(typeof TEXTS)[Key]>, string | number>>;

export function errorText<Key extends ErrorKey>(
  key: Key,
  ...[given]: [NamesIn<(typeof TEXTS)[Key]>] extends [never] ? [] : [ParamsOf<Key>]
): ErrorText {
  const params: ErrorParams = given ?? {};
  return { key, params, text: TEXTS[key].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params[name])) };
}
