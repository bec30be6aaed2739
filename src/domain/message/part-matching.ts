// Which part a delivery report is about. Upstreams spell ids in several ways, use them twice, or forget to answer before they
// report; a report that settles the wrong part moves the wrong money. So everything but our own reference must agree
// with the handset's number, and a guess is taken only where nothing contradicts it:
//
// | how the part was found            | taken when                                                        |
// |-----------------------------------|-------------------------------------------------------------------|
// | by our own reference              | always                                                            |
// | by the id, exactly                | the report names no other number                                  |
// | by another spelling of the id     | the report names the part's number                                |
// | as a part whose answer was lost   | the report names the part's number, and no other part can be meant|
//
// A part that was given up may be meant, too: the upstream may have had it all the same.

export const MATCH_ORDER = ['reference', 'exact', 'other_spelling', 'lost_answer'] as const;
export type MatchHow = (typeof MATCH_ORDER)[number];

export interface Candidate<Found> {
  readonly how: MatchHow;
  /** The number that the part went to, E.164 without the plus sign. */
  readonly to: string;
  readonly found: Found;
}

/** The part that the report is about, the first of its kind in the order given; undefined when none is certain enough. */
export function chooseCandidate<Found>(
  phone: string | undefined,
  candidates: readonly Candidate<Found>[],
): Candidate<Found> | undefined {
  for (const how of MATCH_ORDER) {
    const taken = candidates.filter((candidate) => candidate.how === how && isTaken(candidate, phone));
    const [first] = taken;
    if (first !== undefined && (how !== 'lost_answer' || taken.length === 1)) return first;
  }
  return undefined;
}

function isTaken({ how, to }: Candidate<unknown>, phone: string | undefined): boolean {
  switch (how) {
    case 'reference':
      return true;
    case 'exact':
      return phone === undefined || phonesAgree(phone, to);
    case 'other_spelling':
    case 'lost_answer':
      return phone !== undefined && phonesAgree(phone, to);
  }
}

const MIN_SHARED_DIGITS = 7;

/** Carriers report numbers with and without the country code: the end must be the same, and long enough to mean something. */
export function phonesAgree(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const national = short.replace(/^0+/, '');
  return national.length >= MIN_SHARED_DIGITS && long.endsWith(national);
}
