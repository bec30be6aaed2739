// The largest list that one person is likely to send from the console, at the size that `npm test` leaves out.

import { afterAll, beforeAll, describe, test } from 'vitest';
import { findBrowserMissing } from '../support/browser.js';
import { type ConsoleService, startConsoleService } from './console-service.js';
import { sendFile } from './send-file.js';

const missing = findBrowserMissing();

describe.skipIf(missing !== undefined)(`a large file${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test('of 20,000 goes out in pieces, and every number has its receipt', { timeout: 180_000 }, () =>
    sendFile(console, 20_000),
  );
});
