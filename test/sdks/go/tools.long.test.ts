// The Go SDK by the tools of its language: format, vet, and its own tests.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { goFolder, missingGo, runGo } from './go.js';

/** Only against a tool that hangs: the first build compiles the standard library. */
const TIMEOUT_MS = 600_000;
const title = `the SDK for Go by the tools of Go${missingGo === undefined ? '' : ` (not tried: no ${missingGo} here)`}`;

describe.skipIf(missingGo !== undefined)(title, () => {
  test('gofmt would change nothing', async () => {
    expect((await promisify(execFile)('gofmt', ['-l', goFolder])).stdout).toBe('');
  });

  test('go vet finds nothing', async () => expect(await runGo(['vet', './...'])).toBe(''), TIMEOUT_MS);

  test('go test passes', async () => expect(await runGo(['test', '.'])).toMatch(/^ok /), TIMEOUT_MS);

  test('nothing but the standard library is needed', async () => {
    expect(await runGo(['list', '-m', 'all'])).toBe('postrider.example/postrider\n');
  });
});
