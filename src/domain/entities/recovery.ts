// What an operator decides when channels are held because the database may have lost commits.

import { closedObject, line, nullable, words } from './fields.js';

export const UNSENT_CHOICES = ['unknown', 'send'] as const;

export const ReleaseFields = closedObject({
  unsent: words(UNSENT_CHOICES, {
    description:
      'What happens to numbers that read as unsent and were accepted before the hold. `unknown`: they are marked unconfirmed and never sent again; their tasks that are not queued yet are paused. `send`: they are sent, again where they were sent before.',
  }),
  remark: nullable(line(200, 'Why.'), { default: null, description: 'Why; null: nothing.' }),
});
