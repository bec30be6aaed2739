// A forgotten password in the console, in a real browser and in both languages.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBrowserMissing } from '../../support/browser.js';
import { findFaults } from '../../support/find-faults.js';
import { createVisitor } from '../../support/sign-in/visitor.js';
import { type ConsoleService, expectQuiet, startConsoleService, waitUntilSignedIn } from '../console-service.js';

const missing = findBrowserMissing();
const PASSWORD = 'purple tractors hum at noon';
const NEW_PASSWORD = 'seven kettles sing at dusk';

const LANGUAGES = [
  {
    locale: 'en-GB',
    forgot: 'Forgot password?',
    email: 'Email',
    send: 'Send link',
    asked: 'Check your email',
    menu: 'Create password reset link',
    manage: 'Manage Rita',
    made: 'Password reset link for Rita.',
    password: 'New password',
    set: 'Set new password',
    done: 'Your password has been changed',
    used: 'This link can no longer be used',
    signIn: 'Sign in',
    current: 'Password',
  },
  {
    locale: 'zh-CN',
    forgot: '忘记密码？',
    email: '邮箱',
    send: '发送链接',
    asked: '请查收邮件',
    menu: '生成密码重置链接',
    manage: '管理 Rita',
    made: 'Rita 的密码重置链接',
    password: '新密码',
    set: '设置新密码',
    done: '密码已修改',
    used: '此链接已失效',
    signIn: '登录',
    current: '密码',
  },
] as const;

describe.skipIf(missing !== undefined)(`a forgotten password${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  beforeAll(async () => {
    console = await startConsoleService();
  });
  afterAll(() => console.stop());

  test.each(LANGUAGES)(
    'is asked about, and replaced with the link of an admin ($locale)',
    {
      timeout: 240_000,
    },
    async (words) => {
      const { locale } = words;
      const email = `rita-${locale}@example.com`;
      const root = new OperatorClient(console.operator);
      const { invitation_url: invitation, user_no: userNo } = await root.createUser({
        email,
        name: 'Rita',
        role: 'viewer',
      });
      await createVisitor(console.service.url).accept(invitation, PASSWORD);

      const watched = await console.open('/operator/users', { locale });
      const { page } = watched;
      await page.getByRole('link', { name: words.forgot }).click();
      // The page that is left has a field of that name, too.
      await page.getByRole('button', { name: words.send }).waitFor();
      await page.getByLabel(words.email).fill(email);
      expect(await findFaults(page)).toEqual([]);
      await page.getByRole('button', { name: words.send }).click();
      await page.getByText(words.asked).waitFor();
      expect(await findFaults(page)).toEqual([]);

      const admin = await console.open('/operator/users', { role: 'operator', locale });
      const row = admin.page.getByRole('row').filter({ hasText: email });
      await row.getByRole('button', { name: words.manage }).click();
      await admin.page.getByRole('menuitem', { name: words.menu }).click();
      await admin.page.getByText(words.made).waitFor();
      expect(await findFaults(admin.page)).toEqual([]);
      const link = await admin.page.getByText(/\/console\/password-reset\//).textContent();
      expectQuiet(admin, console.service.url);
      await admin.close();

      await page.goto(link ?? '');
      await page.getByLabel(words.password).fill('password1234');
      await page.getByRole('button', { name: words.set }).click();
      await page.locator('[aria-invalid="true"]').waitFor();
      expect(await findFaults(page)).toEqual([]);
      await page.getByLabel(words.password).fill(NEW_PASSWORD);
      await page.getByRole('button', { name: words.set }).click();
      await page.getByText(words.done).waitFor();
      await page.goto(link ?? '');
      await page.getByText(words.used).waitFor();
      await page.goto(`${console.service.url}/console/operator/users`);
      await page.getByLabel(words.email).fill(email);
      await page.getByLabel(words.current, { exact: true }).fill(NEW_PASSWORD);
      await page.getByRole('button', { name: words.signIn, exact: true }).click();
      await waitUntilSignedIn(page);
      expect(watched.complaints.filter((text) => !/ (400|404) /.test(text))).toEqual([]);
      await watched.close();
      await root.removeUser(userNo);
    },
  );
});
