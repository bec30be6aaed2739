// The fields of a template, as both sides fill them in.

import { MESSAGE_CLASSES } from '@postrider/client';
import type { Field } from '../parts/forms/entity-form.js';
import type { Say } from '../words/say.js';

export function templateFieldsOf(say: Say) {
  return {
    name: { name: 'name', label: say('customers.name'), kind: 'text', isRequired: true },
    body: {
      name: 'body',
      label: say('sending.text'),
      hint: say('sending.textHint', { open: '{', close: '}' }),
      kind: 'long',
      isRequired: true,
    },
    class: {
      name: 'class',
      label: say('class.title'),
      hint: say('class.hint'),
      kind: 'choice',
      isRequired: true,
      choices: MESSAGE_CLASSES.map((value) => ({ value, label: say(`class.${value}`) })),
    },
  } as const satisfies Record<string, Field>;
}
