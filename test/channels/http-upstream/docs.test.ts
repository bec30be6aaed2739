// docs/http.md says what the code does.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { httpDriver } from '../../../src/channels/http-upstream/driver.js';
import { MESSAGE_PLACEHOLDERS } from '../../../src/channels/http-upstream/placeholders.js';
import { HTTP_OPTIONS, nameFlag } from '../../../tools/message-centre/options.js';

const page = readFileSync(new URL('../../../docs/http.md', import.meta.url), 'utf8');

function readTable(heading: string): string[] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const lines = section.split('\n').filter((line) => line.startsWith('| '));
  return lines.slice(2, lines.length);
}

it('lists every field of the configuration', () => {
  const rows = httpDriver.description.fields.map(({ name, required, default: value, description }) => {
    const shown = required ? 'required' : value === null ? '' : `\`${JSON.stringify(value)}\``;
    return `| \`${name}\` | ${shown} | ${description} |`;
  });
  expect(readTable('Configuration').slice(0, rows.length)).toEqual(rows);
});

it('knows every placeholder', () => {
  const section = page.split('## Placeholders\n')[1] ?? '';
  for (const name of MESSAGE_PLACEHOLDERS.filter((each) => !/^p\d/.test(each)))
    expect(section).toContain(`\`{${name}}\``);
});

it('lists every option of the message centre', () => {
  const rows = Object.entries(HTTP_OPTIONS).map(
    ([name, { value, help }]) => `| \`${nameFlag(name)}\` | \`${JSON.stringify(value)}\` | ${help} |`,
  );
  expect(readTable('The message centre')).toEqual(rows);
});
