// What can become of a number, and how it looks. Each outcome has one sign and one colour wherever it is shown, in the console and in
// a terminal; a program that shows outcomes can show them the same way.

/** In the order in which bars and charts stack them: good news first, what is open in the middle, bad news last. */
export const OUTCOMES = ['delivered', 'awaiting', 'unsent', 'unknown', 'expired', 'undelivered', 'rejected'] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** A fill for areas, and an ink that can be read as text. */
export interface OutcomeColors {
  readonly fill: string;
  readonly ink: string;
}

export interface OutcomeLook {
  /** One character. */
  readonly sign: string;
  /** The colour of a terminal that comes closest, as its escape sequences number it. */
  readonly terminalColor: number;
  readonly light: OutcomeColors;
  readonly dark: OutcomeColors;
}

export const OUTCOME_LOOKS: Readonly<Record<Outcome, OutcomeLook>> = {
  delivered: {
    sign: '✓',
    terminalColor: 32,
    light: { fill: '#22a35a', ink: '#12703b' },
    dark: { fill: '#2ea96a', ink: '#5fd793' },
  },
  awaiting: {
    sign: '◷',
    terminalColor: 34,
    light: { fill: '#3b82f6', ink: '#1d4fd7' },
    dark: { fill: '#4d8ef7', ink: '#8ab8ff' },
  },
  unsent: {
    sign: '○',
    terminalColor: 90,
    light: { fill: '#8b95a5', ink: '#525c6b' },
    dark: { fill: '#6b7686', ink: '#a8b2c1' },
  },
  unknown: {
    sign: '?',
    terminalColor: 33,
    light: { fill: '#e69a0a', ink: '#8f4c05' },
    dark: { fill: '#dba11c', ink: '#f5c651' },
  },
  expired: {
    sign: '⧗',
    terminalColor: 35,
    light: { fill: '#8b5cf6', ink: '#6431cf' },
    dark: { fill: '#8f6bf2', ink: '#b9a2ff' },
  },
  undelivered: {
    sign: '✗',
    terminalColor: 31,
    light: { fill: '#ec4a3c', ink: '#c2281d' },
    dark: { fill: '#ee5f50', ink: '#ff8d7d' },
  },
  rejected: {
    sign: '⊘',
    terminalColor: 95,
    light: { fill: '#a8218f', ink: '#8a1478' },
    dark: { fill: '#b83fa6', ink: '#ef8fe0' },
  },
};

/** What the wire says of a part is not yet the outcome of its number: one that was accepted is awaiting. */
export function outcomeOf(status: string): Outcome | undefined {
  if (status === 'accepted' || status === 'intermediate') return 'awaiting';
  return OUTCOMES.find((outcome) => outcome === status);
}
