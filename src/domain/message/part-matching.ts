// Decides which part a delivery report is about. Carriers write ids in several ways, reuse them, or report before they answer, and a
// report that settles the wrong part moves the wrong money. So every match except by our own reference must agree with the number of
// the handset, and a guess is used only if nothing contradicts it:
//
// | how the part was found            | may match when                                                    |
// |-----------------------------------|-------------------------------------------------------------------|
// | by our own reference              | always                                                            |
// | by the id, exactly                | the report names no other number                                  |
// | by another spelling of the id     | the report names the part's number                                |
// | as a part whose answer was lost   | the report names the part's number, and no other part is possible |
//
// A part that was resolved as not accepted is possible, too: the carrier may have it all the same.

export const MATCH_ORDER = ['reference', 'exact', 'other_spelling', 'lost_answer'] as const;
export type MatchHow = (typeof MATCH_ORDER)[number];

export interface Candidate<Found> {
  readonly how: MatchHow;
  /** The number of the part, E.164 without the plus sign. */
  readonly to: string;
  readonly found: Found;
}

/** The best candidate, of equal ones the first; undefined if none is certain enough. */
export function chooseCandidate<Found>(
  phone: string | undefined,
  candidates: readonly Candidate<Found>[],
): Candidate<Found> | undefined {
  for (const how of MATCH_ORDER) {
    const matching = candidates.filter((candidate) => candidate.how === how && mayMatch(how, candidate.to, phone));
    const [first] = matching;
    if (first !== undefined && (how !== 'lost_answer' || matching.length === 1)) return first;
  }
  return undefined;
}

/** Whether a part to the number `to` that was found this way may match a report from `phone`. */
export function mayMatch(how: MatchHow, to: string, phone: string | undefined): boolean {
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

/** Carriers report numbers with and without the country code: the end must match, and be long enough. */
export function phonesAgree(one: string, other: string): boolean {
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  const national = short.replace(/^0+/, '');
  return national.length >= MIN_SHARED_DIGITS && long.endsWith(national);
}
