// Long work is done by one process at a time.

import { expect, onTestFinished, test } from 'vitest';
import { createSoleRunner } from '../../../src/pipeline/maintenance/sole-runner.js';
import { createTestDatabase } from '../../support/database.js';

test('a second process leaves the work alone until the first has stopped, or is gone for a minute', async () => {
  const { sql, drop } = await createTestDatabase();
  onTestFinished(drop);
  const { signal } = new AbortController();
  const ran: string[] = [];
  const processes = ['first', 'second', 'third'].map((name) => {
    const runner = createSoleRunner(sql, 'erasures', signal);
    return { run: () => runner.run(async () => void ran.push(name)), stop: runner.stop };
  });
  const [first, second, third] = processes;
  await first?.run();
  await second?.run();
  await first?.run();
  expect(ran).toEqual(['first', 'first']);
  await second?.stop();
  await third?.run();
  expect(ran).toEqual(['first', 'first']);
  await first?.stop();
  await second?.run();
  expect(ran).toEqual(['first', 'first', 'second']);
  await sql`update work_lease set expires_at = now() - interval '1 second'`;
  await third?.run();
  expect(ran).toEqual(['first', 'first', 'second', 'third']);
});
