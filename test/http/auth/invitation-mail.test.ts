// Invitations by email, to a real listener.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SmtpListener, startSmtpListener } from '../../support/network/smtp-listener.js';
import { type Service, startService } from '../../support/service.js';
import { createVisitor, type Visitor } from '../../support/sign-in/visitor.js';

const ROOT = { authorization: 'Bearer operator-token-of-the-tests' };

let smtp: SmtpListener;
let service: Service;
let root: Visitor;
beforeAll(async () => {
  smtp = await startSmtpListener();
  const env = { POSTRIDER_SMTP_URL: `${smtp.url}?from=noreply@example.com` };
  service = await startService({ hasCheapPasswords: true, env });
  root = createVisitor(service.url, ROOT);
});
afterAll(async () => {
  await service.stop();
  await smtp.stop();
});

/** Long lines of a mail are wrapped, and signs of its encoding are written as codes. */
const plain = (data: string) => data.replaceAll('=\r\n', '').replaceAll('=3D', '=');

it('sends the link to who is invited, and a new one when asked', async () => {
  const fields = { email: 'ann@example.com', name: 'Ann', role: 'viewer' };
  const { body } = await root.call('POST', '/operator/v1/users', fields);
  await expect.poll(() => smtp.messages.length).toBe(1);
  expect(smtp.messages[0]).toMatchObject({ from: 'noreply@example.com', to: 'ann@example.com' });
  expect(plain(smtp.messages[0]?.data ?? '')).toContain(body.invitation_url);
  const again = await root.call('POST', `/operator/v1/users/${body.user_no}/invitation`);
  await expect.poll(() => smtp.messages.length).toBe(2);
  expect(plain(smtp.messages[1]?.data ?? '')).toContain(again.body.invitation_url);
  const taken = await createVisitor(service.url).accept(again.body.invitation_url, 'purple tractors hum at noon');
  expect(taken.status).toBe(200);
});

it('invites all the same when the mail server is away', async () => {
  await smtp.stop();
  const fields = { email: 'bob@example.com', name: 'Bob', role: 'viewer' };
  const answer = await root.call('POST', '/operator/v1/users', fields);
  expect([answer.status, answer.body.invitation_url.length > 40]).toEqual([201, true]);
});
