// What Citus refuses of any table that it knows, also of those on the coordinator, looked for in the sources: such a statement works on one
// PostgreSQL, and every test there passes.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const CLOCK = /\b(now|statement_timestamp|clock_timestamp|random)\(\)/;
const VOLATILE = /\b(clock_timestamp|random|gen_random_uuid)\(\)/;

/** The pieces of a source between backticks: statements and their fragments, and what is between two of them. */
function findRefused(source: string): string[] {
  return source.split('`').filter((text) => {
    // The values that columns are set to.
    const isConditional = [...text.matchAll(/(?<=\b[a-z_]+ = )(coalesce\(|case\b)/g)].some(({ index }) =>
      CLOCK.test(readExpression(text.slice(index))),
    );
    const isVolatile = /^\s*(with .*)?update \w+/.test(text) && VOLATILE.test(text);
    const [, condition = ''] = /\bon conflict\b[^;]*\bdo update\b[^;]*?\bwhere\b([^;]*)/s.exec(text) ?? [];
    return isConditional || isVolatile || CLOCK.test(condition);
  });
}

/** A call up to its last parenthesis, or a `case` up to its end. */
function readExpression(text: string): string {
  if (text.startsWith('case')) return /^case\b.*?\bend\b/s.exec(text)?.[0] ?? text;
  let depth = 0;
  const end = [...text].findIndex((letter) => {
    depth += letter === '(' ? 1 : letter === ')' ? -1 : 0;
    return letter === ')' && depth === 0;
  });
  return text.slice(0, end + 1);
}

test('no statement has a clock where a cluster takes none', () => {
  const root = new URL('../../../src/', import.meta.url).pathname;
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const refused = files.flatMap((name) =>
    findRefused(readFileSync(join(root, name), 'utf8')).map((text) => [name, text]),
  );
  expect(refused).toEqual([]);
});

test.each([
  'update account set at = clock_timestamp() where bucket = 1',
  ', up_since = coalesce(up_since, now())',
  ', live_at = case when up_since <= now() - $1 then now() else live_at end',
  'insert into lease values (1) on conflict (work) do update set holder = excluded.holder where lease.expires_at < now()',
])('is found: %s', (text) => {
  expect(findRefused(text)).toEqual([text]);
});

test.each([
  'update channel set seen_at = now(), up_since = least(up_since, now()), no = coalesce(no, 1)',
  'select coalesce(expires_at > now(), false) from lease where at < clock_timestamp()',
  'update cursor set until = case when a < b then a end, due_at = greatest(due_at, now())',
])('is left: %s', (text) => {
  expect(findRefused(text)).toEqual([]);
});
