// npm checks a package against the hash in the lock file, and trusts the registry where there is none. The lock file is written
// on Linux with glibc, where npm learns no hashes of build tools for other systems; everything else must have one.

import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Entry {
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly os?: readonly string[];
}

test('every package has a hash, but for build tools of other systems', () => {
  const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Entry> };
  const bare = Object.entries(lock.packages).filter(
    ([path, { integrity }]) => path.startsWith('node_modules/') && integrity === undefined,
  );
  const unexplained = bare.filter(([, { optional, dev, os }]) => !(optional && dev && os !== undefined));
  expect(unexplained.map(([path]) => path).filter((path) => !path.startsWith('node_modules/@postrider/'))).toEqual([]);
});
