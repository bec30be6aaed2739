// The module as a proxy would serve it, taken by a module that has nothing.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeZip } from '../../../packages/client/test/write-zip.js';
import { version } from '../toolchain.js';
import { goEnv, goFolder, makeFolder, missingGo, runGo } from './go.js';

const folder = makeFolder();
afterAll(() => folder.remove());

const MODULE = 'postrider.example/postrider';
const VERSION = `v${version}`;

function readModule(): Record<string, string> {
  const files = readdirSync(goFolder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return Object.fromEntries(
    files.map((one) => {
      const path = join(one.parentPath, one.name);
      return [`${MODULE}@${VERSION}/${relative(goFolder, path)}`, readFileSync(path, 'utf8')];
    }),
  );
}

test.skipIf(missingGo !== undefined)(
  `an empty module takes the module from a proxy${missingGo ? ` (no ${missingGo} here)` : ''}`,
  { timeout: 600_000 },
  async () => {
    const served = join(folder.path, 'proxy', MODULE, '@v');
    mkdirSync(served, { recursive: true });
    writeFileSync(join(served, 'list'), `${VERSION}\n`);
    writeFileSync(join(served, `${VERSION}.info`), JSON.stringify({ Version: VERSION, Time: '2026-11-15T00:00:00Z' }));
    writeFileSync(join(served, `${VERSION}.mod`), readFileSync(join(goFolder, 'go.mod')));
    writeFileSync(join(served, `${VERSION}.zip`), writeZip(readModule()));
    const home = join(folder.path, 'program');
    mkdirSync(home);
    const env = {
      ...goEnv,
      // Folders of the cache are read-only otherwise, and would stay.
      GOFLAGS: '-modcacherw',
      GOMODCACHE: join(folder.path, 'cache'),
      GOPROXY: `file://${join(folder.path, 'proxy')}`,
      GONOSUMDB: '*',
      GOSUMDB: 'off',
    };
    const go = (...words: string[]) => runGo(words, home, env);
    await go('mod', 'init', 'example.com/program');
    await go('get', `${MODULE}@latest`);
    const program = `package main

import (
	"context"
	"errors"
	"fmt"

	"${MODULE}"
)

func main() {
	once := postrider.WithRetry(postrider.RetryPolicy{Attempts: 1})
	client, _ := postrider.New("http://127.0.0.1:1", "key", "sk_secret", once)
	_, err := client.Account(context.Background())
	var lost *postrider.ConnectionError
	fmt.Println(errors.As(err, &lost), lost.Reason)
}
`;
    writeFileSync(join(home, 'main.go'), program);
    expect(await go('run', '.')).toBe('true unreachable\n');
    expect(await go('list', '-m', 'all')).toBe(`example.com/program\n${MODULE} ${VERSION}\n`);
    await go('mod', 'verify');
  },
);
