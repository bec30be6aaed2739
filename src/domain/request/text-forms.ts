// The forms that a text of a request may have to have. A pattern is for programs, and shown in the API reference; whoever
// gets one wrong is told in words.

import { type ErrorText, errorText } from './error-text.js';

const FORMS = {
  currency: { pattern: '^[A-Z]{3}$', text: errorText('not_currency') },
  firm: {
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
    text: errorText('not_firm_code'),
  },
  prefix: {
    pattern: '^\\+?[1-9][0-9]{0,14}$',
    text: errorText('not_prefix'),
  },
  signature: {
    pattern: '^[^\\[\\](){}<>【】〔〕（）「」『』［］｛｝〈〉《》\\x00-\\x1f\\x7f]*$',
    text: errorText('has_brackets'),
  },
  clock: { pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', text: errorText('not_clock') },
  'clock-end': { pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$', text: errorText('not_clock') },
  email: { pattern: '^[^\\s@]+@[^\\s@]+$', text: errorText('not_email') },
  ascii: { pattern: '^[\\x20-\\x7e]*$', text: errorText('not_ascii') },
} as const;

/** For the options of a text in a schema. */
export function inForm(name: keyof typeof FORMS): { readonly pattern: string } {
  return { pattern: FORMS[name].pattern };
}

/** What is wrong with a text that a schema's pattern does not fit. */
export function explainPattern(pattern: string): ErrorText {
  const form = Object.values(FORMS).find((known) => known.pattern === pattern);
  return form?.text ?? errorText('not_matching', { pattern });
}
