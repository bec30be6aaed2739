// A network or vendor that numbers are reached through.

import { type Static, Type } from '@sinclair/typebox';
import { inForm } from '../request/text-forms.js';
import { changeOf, closedObject, line } from './fields.js';

export const MAX_FIRM_CHARACTERS = 64;

export const firmName = Type.String({
  minLength: 1,
  maxLength: MAX_FIRM_CHARACTERS,
  ...inForm('firm'),
  description: 'Letters, digits, dots, dashes and underscores.',
});

export const FirmFields = closedObject({
  firm: firmName,
  name: Type.Optional(line(200, 'What people call it; the carrier itself when left out.')),
  prefixes: Type.Array(Type.String({ maxLength: 16, ...inForm('prefix') }), {
    maxItems: 10_000,
    default: [],
    description: 'E.164 prefixes that it serves, with or without the plus sign. Empty: any number.',
  }),
});
export const FirmChanges = changeOf(FirmFields);

/** What customers see, each by name: a field that is added for operators stays with them. */
export const UsableFirmFields = Type.Pick(FirmFields, ['firm', 'name', 'prefixes']);

export type FirmTerms = Required<Static<typeof FirmFields>>;

export interface Firm extends FirmTerms {
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** As the service uses it: prefixes are without the plus sign. */
export type FirmConfig = FirmTerms;
