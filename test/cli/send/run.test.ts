import { PostriderClient } from '@postrider/client';
import { expect, test } from 'vitest';
import { runSend } from '../../../src/cli/send/run.js';
import { createTestTerminal } from '../capture.js';

test('a send that fails lets go of the input that it has not read', async () => {
  let isOpen = false;
  async function* endless(): AsyncGenerator<string> {
    isOpen = true;
    try {
      for (;;) yield '13800138000';
    } finally {
      isOpen = false;
    }
  }
  const client = new PostriderClient({
    baseUrl: 'http://127.0.0.1',
    apiKey: 'k',
    apiSecret: 's',
    fetch: async () => Response.json({ code: 'template_unavailable' }, { status: 422 }),
  });
  const terminal = createTestTerminal();
  const shared = { client, terminal, repeatHint: '', waitMs: null, now: Date.now };
  const running = runSend({ ...shared, request: { template_no: 'T' }, numbers: endless(), numbersPerTask: 2 });
  await expect(running).rejects.toMatchObject({ code: 'template_unavailable' });
  await expect.poll(() => isOpen).toBe(false);
});
