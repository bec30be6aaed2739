// Tables of the documentation that follow from the code. `npm run generate` writes them anew.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allWords } from '../../packages/console/src/words/all-words.js';
import { type MessageData, WEBHOOK_EVENTS, WEBHOOK_MESSAGES } from '../../src/domain/entities/webhook-events.js';
import { checkout } from '../support/service-process.js';
import { type Page, readPage } from './pages.js';

/** The page with these rows in the table whose heading begins so. */
function replaceRows({ path, text }: Page, heading: string, rows: readonly string[]): string {
  const start = text.indexOf(heading);
  const rule = text.indexOf('\n|', start) + 1;
  const first = text.indexOf('\n', rule) + 1;
  const end = text.indexOf('\n\n', rule) + 1;
  if (start === -1) throw new Error(`${path} has no table with the heading ${heading}`);
  return `${text.slice(0, first)}${rows.map((row) => `${row}\n`).join('')}${text.slice(end)}`;
}

function describeData({ name, isList, schema }: MessageData = { name: '' }): string {
  if (schema !== undefined)
    return Object.keys(schema.properties)
      .map((field) => `\`${field}\``)
      .join(', ');
  return isList === true ? `\`items\`: \`${name}\`` : `\`${name}\``;
}

test.each([
  { path: 'docs/guides/webhooks.md', heading: '| event |', column: 0 },
  { path: 'docs/zh/guides/webhooks.md', heading: '| 事件 |', column: 1 },
] as const)('$path has every event of webhooks', async ({ path, heading, column }) => {
  const rows = WEBHOOK_EVENTS.map((event) => {
    const hint = allWords[`webhookEventHint.${event}`][column];
    return `| \`${event}\` | ${hint} | ${describeData(WEBHOOK_MESSAGES[event])} |`;
  });
  await expect(replaceRows(readPage(path), heading, rows)).toMatchFileSnapshot(join(checkout, path));
});
