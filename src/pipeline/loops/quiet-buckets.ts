/** Buckets without work. They are skipped until `versionOf` changes, or for a limited time. */
export interface QuietBuckets {
  has(bucket: number): boolean;
  /** `version` is read before the bucket is polled, so that work that arrives during the poll is not missed. */
  add(bucket: number, version: number): void;
  delete(bucket: number): void;
}

export function createQuietBuckets(versionOf: (bucket: number) => number, quietMs: number): QuietBuckets {
  const quiet = new Map<number, { readonly version: number; readonly untilMs: number }>();
  return {
    has(bucket) {
      const found = quiet.get(bucket);
      return found !== undefined && found.version === versionOf(bucket) && performance.now() < found.untilMs;
    },
    add: (bucket, version) => void quiet.set(bucket, { version, untilMs: performance.now() + quietMs }),
    delete: (bucket) => void quiet.delete(bucket),
  };
}
