// The forms that a text of a request may have to have. A pattern is for programs, and shown in the API reference; whoever
// gets one wrong is told in words.

const FORMS = {
  currency: { pattern: '^[A-Z]{3}$', words: 'must be three capital letters, such as EUR' },
  firm: {
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
    words: 'must be letters, digits, dots, dashes and underscores, and begin with a letter or a digit',
  },
  prefix: {
    pattern: '^\\+?[1-9][0-9]{0,14}$',
    words: 'must be the first digits of international numbers, such as 86138',
  },
  ascii: { pattern: '^[\\x20-\\x7e]*$', words: 'must have only letters, digits and signs of ASCII' },
} as const;

/** For the options of a text in a schema. */
export function inForm(name: keyof typeof FORMS): { readonly pattern: string } {
  return { pattern: FORMS[name].pattern };
}

/** What is wrong with a text that a schema's pattern does not fit; undefined for a pattern that has no words. */
export function explainPattern(pattern: string): string | undefined {
  return Object.values(FORMS).find((form) => form.pattern === pattern)?.words;
}
