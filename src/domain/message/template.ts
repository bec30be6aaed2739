// Templates: text with placeholders {p1} … {p18}.
//
// Only those eighteen spellings are placeholders; every other brace is text, since templates hold smileys, code and
// other people's syntax. `{p0}`, `{p19}`, `{p01}` and `{P1}` would be text too, but they are unwanted on a handset: they
// are refused when the operator stores the body. `{x}` is not. A value is never searched for placeholders, so a customer
// who does need the text "{p1}" sends it as a variable.

import { findTextFault } from '../fault/body-faults.js';
import { errorText } from '../fault/error-text.js';
import { createFault, type Fault } from '../fault/fault.js';

export const VARIABLE_NAMES = [
  'p1',
  'p2',
  'p3',
  'p4',
  'p5',
  'p6',
  'p7',
  'p8',
  'p9',
  'p10',
  'p11',
  'p12',
  'p13',
  'p14',
  'p15',
  'p16',
  'p17',
  'p18',
] as const;

export type VariableName = (typeof VARIABLE_NAMES)[number];

export type Variables = { readonly [name in VariableName]?: string };

const nameSet: ReadonlySet<string> = new Set(VARIABLE_NAMES);

export function isVariableName(name: string): name is VariableName {
  return nameSet.has(name);
}

export interface CompiledTemplate {
  /** The text around the placeholders: always one more than there are placeholders. */
  readonly literals: readonly string[];
  readonly placeholders: readonly VariableName[];
  /** Each used variable once, in the order p1 … p18. */
  readonly used: readonly VariableName[];
}

const PLACEHOLDER = /\{(p(?:1[0-8]|[1-9]))\}/;
const MISSPELT_PLACEHOLDER = /\{[pP]\d+\}/g;

/** Never fails: what is no placeholder is text. Compile once, render often. */
export function parseTemplate(body: string): CompiledTemplate {
  const literals: string[] = [];
  const placeholders: VariableName[] = [];
  // Splitting by an expression with one group yields text and group in turn.
  for (const [at, piece] of body.split(PLACEHOLDER).entries()) {
    if (at % 2 === 0) literals.push(piece);
    else if (isVariableName(piece)) placeholders.push(piece);
  }
  const used = VARIABLE_NAMES.filter((name) => placeholders.includes(name));
  return { literals, placeholders, used };
}

/** Throws when a value is missing: acceptance has checked that there is one for each, and a gap must not be sent. */
export function renderTemplate(template: CompiledTemplate, variables: Variables): string {
  let text = template.literals[0] ?? '';
  for (let at = 0; at < template.placeholders.length; at++) {
    const name = template.placeholders[at];
    const value = name === undefined ? undefined : variables[name];
    if (value === undefined) throw new Error(`no value for the placeholder ${name}`);
    text += value + (template.literals[at + 1] ?? '');
  }
  return text;
}

/** For who writes a template: variables without a value stand as they are written. */
export function draftText(template: CompiledTemplate, variables: Variables): string {
  const shown = Object.fromEntries(template.used.map((name) => [name, variables[name] ?? `{${name}}`]));
  return renderTemplate(template, shown);
}

export const MAX_TEMPLATE_CHARACTERS = 2000;

/** Bounds the rendered text, which grows by up to 500 characters a placeholder. */
export const MAX_TEMPLATE_PLACEHOLDERS = 30;

/** What is wrong with a body that an operator wants to store. */
export function checkTemplateBody(body: unknown, pointer = '/body'): Fault[] {
  if (typeof body !== 'string') return [createFault(pointer, 'type', errorText('not_string'))];
  const faults: Fault[] = [];
  if (body === '') faults.push(createFault(pointer, 'too_short', errorText('empty')));
  const unfit = findTextFault(body, MAX_TEMPLATE_CHARACTERS);
  if (unfit !== undefined) faults.push(createFault(pointer, unfit.code, unfit.text));
  // The rest would read a text of any length.
  if (unfit?.code === 'too_long') return faults;
  const { placeholders } = parseTemplate(body);
  if (placeholders.length > MAX_TEMPLATE_PLACEHOLDERS) {
    const text = errorText('too_many_placeholders', { count: placeholders.length, max: MAX_TEMPLATE_PLACEHOLDERS });
    faults.push(createFault(pointer, 'too_many', text));
  }
  const misspelt = new Set(
    (body.match(MISSPELT_PLACEHOLDER) ?? []).filter((text) => !isVariableName(text.slice(1, -1))),
  );
  if (misspelt.size > 0) {
    const names = [...misspelt].slice(0, 5).join(', ');
    const text = errorText('misspelt_placeholders', { names, first: '{p1}', last: '{p18}' });
    faults.push(createFault(pointer, 'unknown_variable', text));
  }
  return faults;
}
