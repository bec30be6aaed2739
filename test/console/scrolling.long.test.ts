// Ten thousand rows in a real browser: all of them are reached, and no more exist than are in sight.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { type ConsoleService, expectQuiet, startConsoleService } from './console-service.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`a long list${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test('ten thousand rows are scrolled to the end, with no more of them in the page than are in sight', {
    timeout: 240_000,
  }, async () => {
    const { sql, demo } = console;
    await sql`
      insert into task (customer_id, task_id, request_key, fingerprint, template_id, service_account_id, account_defaulted,
        auto_prepare, auto_freeze, auto_submit, stage, total, delivered, timeline, updated_at, completed_at)
      select customer_id, n, 'c:row ' || n, '', template_id, service_account_id, true, true, true, true, 'completed', 1, 1,
        '[]', now(), now()
      from template, generate_series(1, 10000) as n where template_no = ${demo.template_no}`;
    const watched = await console.open('/tasks', { role: 'customer' });
    const { page } = watched;
    await page.getByRole('table', { name: 'Tasks' }).waitFor();
    const mostRows = await page.evaluate(`(async () => {
      for (let mostRows = 0; ; ) {
        scrollTo(0, document.documentElement.scrollHeight);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        mostRows = Math.max(mostRows, document.querySelectorAll('tbody tr').length);
        if ([...document.querySelectorAll('tbody tr a')].at(-1)?.textContent === 'row 1') return mostRows;
      }
    })()`);
    expect(mostRows).toBeGreaterThan(10);
    expect(mostRows).toBeLessThan(100);
    // And back, through all of what is loaded.
    await page.evaluate('scrollTo(0, 0)');
    await page.getByRole('row').nth(1).waitFor();
    expect(await page.locator('tbody tr').count()).toBeLessThan(100);
    expectQuiet(watched, console.service.url);
    await watched.close();
  });
});
