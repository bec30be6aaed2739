import { expect, test } from 'vitest';
import { defaultDataDir, quoteForShell } from '../../src/service/checkout.js';
import { describeStart } from '../../src/service/start-lines.js';

const demo = {
  url: 'http://127.0.0.1:8080',
  api_key: 'k',
  api_secret: 's',
  customer_no: 'C',
  template_no: 'M',
  service_account_no: 'A',
  channel_no: 'H',
};

const signInLinks = { customer: `${demo.url}/console/#sign-in=c`, operator: `${demo.url}/console/#sign-in=o` };
const started = { url: demo.url, demo, signInLinks };

test('the console is one click away, as the customer and as the operator', () => {
  const text = describeStart({ dataDir: defaultDataDir, operatorToken: undefined }, started);
  expect(text).toContain(signInLinks.customer);
  expect(text).toContain(signInLinks.operator);
});

test('the first command works in any folder, and finds a data folder that is not the usual one', () => {
  const usual = describeStart({ dataDir: defaultDataDir, operatorToken: undefined }, started);
  expect(usual).toMatch(/\n {2}node .*\/bin\/postrider\.mjs'? send 13800139001 --var p1=Ann\n/);
  expect(usual).not.toContain('npx');
  const other = describeStart({ dataDir: "/srv/ann's data", operatorToken: undefined }, started);
  expect(other).toContain(`\n  POSTRIDER_DATA_DIR='/srv/ann'\\''s data' node `);
});

test('without the demo, the command that invites the first operator is printed', () => {
  const withoutDemo = { url: 'http://127.0.0.1:9000', demo: undefined, signInLinks: undefined };
  const text = describeStart({ dataDir: "/srv/ann's data", operatorToken: undefined }, withoutDemo);
  expect(text).toContain(`POSTRIDER_OPERATOR_TOKEN="$(cat '/srv/ann'\\''s data/operator-token')" node `);
  expect(text).toMatch(/ user create --email you@example\.com .*--role admin --url http:\/\/127\.0\.0\.1:9000\n/);
  // A token of the environment is not in a file, and its operator has set the platform up by other means.
  expect(describeStart({ dataDir: '/srv/data', operatorToken: 'secret' }, withoutDemo)).not.toContain('user create');
});

test('a word that a shell would take apart is quoted', () => {
  expect(quoteForShell('/home/ann/postrider')).toBe('/home/ann/postrider');
  expect(quoteForShell('/home/ann/my code')).toBe("'/home/ann/my code'");
});
