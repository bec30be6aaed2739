import { afterAll, beforeAll, expect, test } from 'vitest';
import { type HttpService, startHttpService } from '../support/http-service.js';

let service: HttpService;
beforeAll(async () => {
  service = await startHttpService();
});
afterAll(() => service.stop());

test('the address that the service prints leads to the reference', async () => {
  const root = await service.app.inject({ url: '/' });
  expect([root.statusCode, root.headers.location]).toEqual([302, '/docs']);
  const page = await service.app.inject({ url: '/docs' });
  expect(page.statusCode).toBe(200);
  expect(page.body).toContain('Create a message task');
});

test('the reference loads nothing from anywhere', async () => {
  const { body } = await service.app.inject({ url: '/docs' });
  expect(body.match(/(?:src|href)="(?:https?:)?\/\//g)).toBeNull();
});
