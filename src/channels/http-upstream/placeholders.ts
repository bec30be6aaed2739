// Placeholders in the strings of a configuration. A text is cut once into literals and names; values are inserted as they are
// and never searched for placeholders.

import { isVariableName, VARIABLE_NAMES } from '../../domain/message/template.js';

export const MESSAGE_PLACEHOLDERS = [
  'phone',
  'phone_digits',
  'phone_national',
  'text',
  'sender',
  'reference',
  'template_code',
  ...VARIABLE_NAMES,
] as const;

const SECRET = 'secret.';
const PLACEHOLDER = /\{([a-z][a-z0-9_]*(?:\.[A-Za-z0-9_-]+)?)\}/;

/** Literals and names of placeholders in turn: always one more literal than names. */
export type Text = readonly string[];

export type Values = (name: string) => string;

export function parseText(text: string): Text {
  const pieces: string[] = [''];
  for (const [at, piece] of text.split(PLACEHOLDER).entries()) {
    if (at % 2 === 0) pieces[pieces.length - 1] += piece;
    else if (isPlaceholder(piece)) pieces.push(piece, '');
    else pieces[pieces.length - 1] += `{${piece}}`;
  }
  return pieces;
}

export function namesIn(text: Text): string[] {
  return text.filter((_, at) => at % 2 === 1);
}

export function renderText(text: Text, read: Values): string {
  return text.map((piece, at) => (at % 2 === 0 ? piece : read(piece))).join('');
}

/** The name of the secret that a placeholder stands for. */
export function secretOf(name: string): string | undefined {
  return name.startsWith(SECRET) ? name.slice(SECRET.length) : undefined;
}

function isPlaceholder(name: string): boolean {
  return (
    secretOf(name) !== undefined || isVariableName(name) || (MESSAGE_PLACEHOLDERS as readonly string[]).includes(name)
  );
}
