const format = new Intl.NumberFormat('en');

/** A number of things, its thousands apart. The format is made once: making one is slow, using it is fast. */
export function showCount(count: number): string {
  return format.format(count);
}
