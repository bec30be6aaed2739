import type { Field } from '../../../parts/forms/entity-form.js';
import type { Say } from '../../../words/say.js';

/** Money put in or taken out. */
export function creditFields(say: Say, hint: string): readonly Field[] {
  return [
    { name: 'amount', label: say('record.amount'), hint, kind: 'text', isRequired: true },
    { name: 'remark', label: say('record.remark'), kind: 'text' },
    { name: 'reference', label: say('credits.reference'), hint: say('credits.referenceHint'), kind: 'text' },
  ];
}
