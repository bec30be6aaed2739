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
  const env = {
    POSTRIDER_SMTP_URL: `${smtp.url}?from=noreply@example.com`,
    POSTRIDER_PUBLIC_URL: 'https://sms.example.com',
  };
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

it('holds nothing that the inviting person writes, and invites one address five times an hour at most', async () => {
  const fields = { email: 'eve@example.com', name: 'Your account is locked, call 555 0100', role: 'viewer' };
  const { body } = await root.call('POST', '/operator/v1/users', fields);
  await expect.poll(() => smtp.messages.filter(({ to }) => to === fields.email).length).toBe(1);
  expect(smtp.messages.at(-1)?.data).not.toContain('locked');
  const path = `/operator/v1/users/${body.user_no}`;
  for (let time = 0; time < 4; time += 1) expect((await root.call('POST', `${path}/invitation`)).status).toBe(201);
  const refused = await root.call('POST', `${path}/invitation`);
  expect([refused.status, refused.body.key]).toEqual([429, 'too_many_invitations']);
  // Nor by removing the user and inviting it anew.
  await root.call('DELETE', path);
  expect((await root.call('POST', '/operator/v1/users', fields)).status).toBe(429);
  await expect.poll(() => smtp.messages.filter(({ to }) => to === fields.email).length).toBe(5);
  for (const name of ['https://evil.example', 'x@evil.example', '<b>Ann</b>']) {
    expect((await root.call('POST', '/operator/v1/users', { ...fields, name })).body.errors[0]).toMatchObject({
      pointer: '/name',
      key: 'not_person_name',
    });
  }
});

it('invites a hundred times an hour at most for one customer', async () => {
  const { customerNo } = await service.addCustomer();
  const path = `/operator/v1/customers/${customerNo}/users`;
  const invite = (at: number) =>
    root.call('POST', path, { email: `crowd${at}@example.com`, name: 'C', role: 'viewer' });
  for (let at = 0; at < 100; at += 1) expect((await invite(at)).status).toBe(201);
  expect((await invite(100)).body.key).toBe('too_many_invitations');
  const other = await service.addCustomer();
  const fields = { email: 'other@example.com', name: 'O', role: 'viewer' };
  expect((await root.call('POST', `/operator/v1/customers/${other.customerNo}/users`, fields)).status).toBe(201);
});

it('sends nothing without a public address: a link from the Host of a request could lead anywhere', async () => {
  const env = { POSTRIDER_SMTP_URL: `${smtp.url}?from=noreply@example.com` };
  const plain = await startService({ hasCheapPasswords: true, env });
  const before = smtp.messages.length;
  const evil = createVisitor(plain.url, { ...ROOT, host: 'evil.example' });
  const fields = { email: 'far@example.com', name: 'F', role: 'viewer' };
  const { status, body } = await evil.call('POST', '/operator/v1/users', fields);
  expect(status).toBe(201);
  await createVisitor(plain.url).accept(body.invitation_url, 'purple tractors hum at noon');
  expect((await evil.call('POST', '/auth/password-reset', { email: fields.email }, {})).status).toBe(202);
  // What was begun is finished by then.
  await plain.stop();
  expect(smtp.messages).toHaveLength(before);
});

it('invites all the same when the mail server is away', async () => {
  await smtp.stop();
  const fields = { email: 'bob@example.com', name: 'Bob', role: 'viewer' };
  const answer = await root.call('POST', '/operator/v1/users', fields);
  expect([answer.status, answer.body.invitation_url.length > 40]).toEqual([201, true]);
});
