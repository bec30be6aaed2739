// Versions of this service. Before 1.0 a release raises the second number, from then on the first.

/** Migrations expand first and contract a release later, so processes of neighbouring releases run on one database. */
export function isAtMostOneReleaseApart(one: string, other: string): boolean {
  const [a, b] = [parse(one), parse(other)];
  if (a === undefined || b === undefined) return one === other;
  if (a.major !== b.major) return Math.abs(a.major - b.major) === 1;
  return a.major > 0 || Math.abs(a.minor - b.minor) <= 1;
}

function parse(version: string): { readonly major: number; readonly minor: number } | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)\.\d+/.exec(version) ?? [];
  return major === undefined || minor === undefined ? undefined : { major: Number(major), minor: Number(minor) };
}
