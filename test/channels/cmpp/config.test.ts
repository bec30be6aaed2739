import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../../src/channels/check-config.js';
import { CmppConfigSchema } from '../../../src/channels/cmpp/config.js';
import { CMPP_OPTIONS, nameFlag } from '../../../tools/message-centre/options.js';

const REQUIRED = { host: 'ismg.example', account: '900001', password: 'secret' };

/** The rows of the table under a heading of docs/cmpp.md: name, default, description. */
function readTable(heading: string): string[][] {
  const page = readFileSync(new URL('../../../docs/cmpp.md', import.meta.url), 'utf8');
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

describe('the configuration of a CMPP channel', () => {
  it('needs host, account and password, and has a default for the rest', () => {
    expect(checkConfig(CmppConfigSchema, REQUIRED).config).toEqual({
      ...REQUIRED,
      port: 7890,
      version: '2.0',
      service_id: '',
      source_prefix: '',
      sessions: 1,
      window: 16,
      keepalive_ms: 30_000,
      response_timeout_ms: 60_000,
      national_numbers: true,
    });
    const { faults } = checkConfig(CmppConfigSchema, {});
    expect(faults?.map(({ pointer }) => pointer).sort()).toEqual(['/account', '/host', '/password']);
  });

  it('reports every fault at once', () => {
    const wrong = { ...REQUIRED, account: '9000001', version: '2.1', window: 0, service_id: '业务', frob: 1 };
    const { faults } = checkConfig(CmppConfigSchema, wrong);
    expect(faults?.map(({ pointer }) => pointer).sort()).toEqual([
      '/account',
      '/frob',
      '/service_id',
      '/version',
      '/window',
    ]);
  });

  it('is the same in the docs as in the code', () => {
    const expected = Object.entries(CmppConfigSchema.properties).map(([name, field]) => [
      `\`${name}\``,
      field.default === undefined ? 'required' : `\`${JSON.stringify(field.default)}\``,
      field.description,
    ]);
    expect(readTable('Configuration')).toEqual(expected);
  });
});

describe('the options of the message centre', () => {
  it('are the same in the docs as in the code', () => {
    const expected = Object.entries(CMPP_OPTIONS).map(([name, { value, help }]) => [
      `\`${nameFlag(name)}\``,
      `\`${JSON.stringify(value)}\``,
      help,
    ]);
    expect(readTable('The message centre')).toEqual(expected);
  });
});
