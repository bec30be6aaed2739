/** What a test file needs, each with all before it. */
export const KINDS = ['pure', 'database', 'service', 'browser'] as const;
export type Kind = (typeof KINDS)[number];

let kind: Kind = 'pure';

export function resetKind(): void {
  kind = 'pure';
}

/** The file that runs needs this, if nothing more. */
export function noteKind(needed: Kind): void {
  if (KINDS.indexOf(needed) > KINDS.indexOf(kind)) kind = needed;
}

export function readKind(): Kind {
  return kind;
}
