// Whether a carrier has a signature on file.

import { type Static, Type } from '@sinclair/typebox';
import { closedObject, line, nullable, words } from './fields.js';

export const FILING_STATUSES = ['pending', 'filed', 'rejected'] as const;
export type FilingStatus = (typeof FILING_STATUSES)[number];

export const FilingFields = closedObject({
  channel_no: line(64, 'A channel that exists.'),
  status: words(FILING_STATUSES, {
    default: 'pending',
    description: 'Only `filed` lets a channel with `requires_filing` carry messages of the service account.',
  }),
  reason: nullable(Type.String({ minLength: 1, maxLength: 500 }), {
    default: null,
    description: 'Why, for people; null: none.',
  }),
});

export type FilingTerms = Static<typeof FilingFields>;

export interface Filing extends FilingTerms {
  /** What was filed. A filing holds for this signature only. */
  readonly signature: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}
