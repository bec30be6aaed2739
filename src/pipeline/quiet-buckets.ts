/** Buckets in which there was nothing to do. They are left alone until there is news for them, or for so long at most. */
export interface QuietBuckets {
  has(bucket: number): boolean;
  /** With what `news` said before it was looked at, so that what came meanwhile is not slept over. */
  add(bucket: number, newsBefore: number): void;
  delete(bucket: number): void;
}

export function createQuietBuckets(news: (bucket: number) => number, quietMs: number): QuietBuckets {
  const quiet = new Map<number, { readonly news: number; readonly untilMs: number }>();
  return {
    has(bucket) {
      const found = quiet.get(bucket);
      return found !== undefined && found.news === news(bucket) && performance.now() < found.untilMs;
    },
    add: (bucket, newsBefore) => void quiet.set(bucket, { news: newsBefore, untilMs: performance.now() + quietMs }),
    delete: (bucket) => void quiet.delete(bucket),
  };
}
