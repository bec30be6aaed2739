// The variables that the guides set are all that a send needs.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { runCommandLine } from '../../../src/cli/main.js';
import { type Service, startService } from '../../support/service.js';
import { createTestTerminal } from '../capture.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

test('a send takes its template from the environment, unless it is named', async () => {
  const customer = await service.addCustomer();
  const { api_key, api_secret } = await service.operator.createCredential(customer.customerNo);
  const env = { POSTRIDER_URL: service.url, POSTRIDER_API_KEY: api_key, POSTRIDER_API_SECRET: api_secret };
  const send = async (more: Record<string, string>, ...words: string[]) => {
    const terminal = createTestTerminal({ env: { ...env, ...more } });
    const code = await runCommandLine(['send', '13800138000', '--var', 'p1=Ann', '--no-wait', ...words], terminal);
    return { code, err: terminal.err.text };
  };
  expect(await send({})).toMatchObject({ code: 2, err: expect.stringContaining('--template is missing') });
  expect(await send({ POSTRIDER_TEMPLATE_NO: customer.templateNo })).toMatchObject({ code: 0 });
  expect((await send({ POSTRIDER_TEMPLATE_NO: 'none' }, '--template', customer.templateNo)).code).toBe(0);
});
