import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../../src/channels/check-config.js';
import { SmgpConfigSchema } from '../../../src/channels/smgp/config.js';
import { nameFlag, SMGP_OPTIONS } from '../../../tools/message-centre/options.js';

const REQUIRED = { host: 'smgw.example', account: '10690001', password: 'secret' };

/** The rows of the table under a heading of docs/smgp.md: name, default, description. */
function readTable(heading: string): string[][] {
  const page = readFileSync(new URL('../../../docs/smgp.md', import.meta.url), 'utf8');
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

describe('the configuration of a SMGP channel', () => {
  it('needs host, account and password, and has a default for the rest', () => {
    expect(checkConfig(SmgpConfigSchema, REQUIRED).config).toEqual({
      ...REQUIRED,
      port: 8890,
      service_id: '',
      source_prefix: '',
      sessions: 1,
      window: 16,
      keepalive_ms: 30_000,
      response_timeout_ms: 60_000,
      national_numbers: true,
    });
    const { faults } = checkConfig(SmgpConfigSchema, {});
    expect(faults?.map(({ pointer }) => pointer).sort()).toEqual(['/account', '/host', '/password']);
  });

  it('reports every fault at once', () => {
    const wrong = { ...REQUIRED, account: '106900011', window: 0, service_id: '业务', frob: 1 };
    const { faults } = checkConfig(SmgpConfigSchema, wrong);
    expect(faults?.map(({ pointer }) => pointer).sort()).toEqual(['/account', '/frob', '/service_id', '/window']);
  });

  it('is the same in the docs as in the code', () => {
    const expected = Object.entries(SmgpConfigSchema.properties).map(([name, field]) => [
      `\`${name}\``,
      field.default === undefined ? 'required' : `\`${JSON.stringify(field.default)}\``,
      field.description,
    ]);
    expect(readTable('Configuration')).toEqual(expected);
  });
});

describe('the options of the message centre', () => {
  it('are the same in the docs as in the code', () => {
    const expected = Object.entries(SMGP_OPTIONS).map(([name, { value, help }]) => [
      `\`${nameFlag(name)}\``,
      `\`${JSON.stringify(value)}\``,
      help,
    ]);
    expect(readTable('The message centre')).toEqual(expected);
  });
});
