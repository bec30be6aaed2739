import type { Outcome } from '@postrider/client';

/** A change that may need attention. */
export interface Notice {
  /** What it is about and what that is like now: another state is another notice. */
  readonly id: string;
  readonly look: Outcome;
  readonly text: string;
  readonly at: string | null;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
}

/** The newest first; what has no time stands above. */
export function orderNotices(notices: readonly Notice[]): readonly Notice[] {
  const timeOf = ({ at }: Notice) => (at === null ? Number.POSITIVE_INFINITY : Date.parse(at));
  return notices.toSorted((one, other) => timeOf(other) - timeOf(one) || one.id.localeCompare(other.id));
}
