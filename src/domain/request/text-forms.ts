// The forms that texts of a request must have: a pattern for programs, shown in the API reference, and the words that
// answer a text that does not fit.

import { type ErrorText, errorText } from '../fault/error-text.js';

/** `<>\p{Ps}\p{Pe}\p{Cc}`, which patterns in a schema cannot say: they are compiled without the flag `u`. */
const BRACKETS_AND_CONTROLS =
  '\\u0000-\\u001f\\u0028\\u0029\\u003c\\u003e\\u005b\\u005d\\u007b\\u007d\\u007f-\\u009f\\u0f3a-\\u0f3d\\u169b\\u169c\\u201a\\u201e' +
  '\\u2045\\u2046\\u207d\\u207e\\u208d\\u208e\\u2308-\\u230b\\u2329\\u232a\\u2768-\\u2775\\u27c5\\u27c6\\u27e6-\\u27ef\\u2983-\\u2998' +
  '\\u29d8-\\u29db\\u29fc\\u29fd\\u2e22-\\u2e29\\u2e42\\u2e55-\\u2e5c\\u3008-\\u3011\\u3014-\\u301b\\u301d-\\u301f\\ufd3e\\ufd3f\\ufe17\\ufe18' +
  '\\ufe35-\\ufe44\\ufe47\\ufe48\\ufe59-\\ufe5e\\uff08\\uff09\\uff3b\\uff3d\\uff5b\\uff5d\\uff5f\\uff60\\uff62\\uff63';

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
    pattern: `^[^${BRACKETS_AND_CONTROLS}]*$`,
    text: errorText('has_brackets'),
  },
  clock: { pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', text: errorText('not_clock') },
  'clock-end': { pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$', text: errorText('not_clock') },
  email: { pattern: '^[^\\s@]+@[^\\s@]+$', text: errorText('not_email') },
  /** No address of a page or of a mailbox. */
  'person-name': { pattern: '^[^<>:/@\\\\]*$', text: errorText('not_person_name') },
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
