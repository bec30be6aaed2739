// The configuration of a simulator channel. docs/simulator.md is compared with it by a test.

import { type Static, Type } from '@sinclair/typebox';

/** Longer delays would outlive every timeout of the service. */
const MAX_DELAY_MS = 7 * 24 * 3600 * 1000;

const delay = (description: string) => Type.Integer({ minimum: 0, maximum: MAX_DELAY_MS, default: 0, description });
const share = (value: number, description: string) =>
  Type.Number({ minimum: 0, maximum: 1, default: value, description });

export const SimulatorConfigSchema = Type.Object(
  {
    answer_ms: delay('How long the answer to a segment takes.'),
    receipt_ms: delay('How long after the answer the report comes.'),
    deliver_rate: share(1, 'The share of accepted numbers that are delivered; the others are undelivered.'),
    reject_rate: share(0, 'The share of numbers that are refused at once.'),
    unknown_rate: share(0, 'The share of numbers whose answer is lost.'),
    test_numbers: Type.Union([Type.Literal(true), Type.Literal('listed'), Type.Literal(false)], {
      default: true,
      description:
        'Which numbers have a fate of their own: all that end like one of the list, those of the list, or none.',
    }),
  },
  { additionalProperties: false },
);

export type SimulatorConfig = Readonly<Static<typeof SimulatorConfigSchema>>;
