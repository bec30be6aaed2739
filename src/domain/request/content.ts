// What a task says, kept as long as the task: its text at acceptance, with the signature, and the values of the placeholders.

import { parseTemplate, renderTemplate, type Variables } from '../message/template.js';
import { isEach, type Payload } from './payload.js';

export type Content = Pick<Payload, 'body' | 'variables'>;

/** Undefined for tasks from before it was kept. */
export function decodeContent(text: string | null | undefined): Content | undefined {
  return text === null || text === undefined ? undefined : JSON.parse(text);
}

/** The values, where all numbers share them. */
export function sharedVariables({ variables }: Content): Variables | null {
  return isEach(variables) ? null : variables;
}

/** What stands for the value of a placeholder that the caller may not see. */
const HIDDEN = '••••••';

/** Codes (`otp`) are for their recipient alone: their texts are shown without the values. */
export function hideCodes({ body, variables }: Content): Content {
  const hide = (values: Variables): Variables =>
    Object.fromEntries(Object.keys(values).map((name) => [name, HIDDEN] as const));
  return { body, variables: isEach(variables) ? variables.map(hide) : hide(variables) };
}

/** Renders the texts of the numbers of one task, which are asked for by their positions. */
export function createTextReader({ body, variables }: Content): (seq: number) => string {
  const template = parseTemplate(body);
  if (isEach(variables)) return (seq) => renderTemplate(template, variables[seq - 1] ?? {});
  const common = renderTemplate(template, variables);
  return () => common;
}
