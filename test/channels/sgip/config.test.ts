import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../../src/channels/check-config.js';
import { SgipConfigSchema } from '../../../src/channels/sgip/config.js';
import { nameFlag, SGIP_OPTIONS } from '../../../tools/message-centre/options.js';

const REQUIRED = {
  host: 'smg.example',
  account: 'sp90001',
  password: 'secret',
  node_id: 3_010_090_001,
  corp_id: '90001',
};

/** The rows of the table under a heading of docs/sgip.md: name, default, description. */
function readTable(heading: string): string[][] {
  const page = readFileSync(new URL('../../../docs/sgip.md', import.meta.url), 'utf8');
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

describe('the configuration of an SGIP channel', () => {
  it('needs host, account, password, node and corporation, and has a default for the rest', () => {
    expect(checkConfig(SgipConfigSchema, REQUIRED).config).toEqual({
      ...REQUIRED,
      port: 8801,
      listen_host: '0.0.0.0',
      listen_port: 8801,
      listen_account: '',
      listen_password: '',
      service_type: '',
      source_prefix: '',
      sessions: 1,
      window: 32,
      response_timeout_ms: 30_000,
    });
    const { faults } = checkConfig(SgipConfigSchema, {});
    expect(faults?.map(({ pointer }) => pointer).sort()).toEqual([
      '/account',
      '/corp_id',
      '/host',
      '/node_id',
      '/password',
    ]);
  });

  it('reports every fault at once', () => {
    const wrong = { ...REQUIRED, corp_id: '900001', node_id: 2 ** 32, window: 0, service_type: '业务', frob: 1 };
    const { faults } = checkConfig(SgipConfigSchema, wrong);
    expect(faults?.map(({ pointer }) => pointer).sort()).toEqual([
      '/corp_id',
      '/frob',
      '/node_id',
      '/service_type',
      '/window',
    ]);
  });

  it('takes the node id as a number or as its digits', () => {
    expect(checkConfig(SgipConfigSchema, { ...REQUIRED, node_id: '3010090001' }).faults).toBeUndefined();
    expect(checkConfig(SgipConfigSchema, { ...REQUIRED, node_id: '30100-90001' }).faults).toHaveLength(1);
    expect(checkConfig(SgipConfigSchema, { ...REQUIRED, node_id: '9999999999' }).faults).toHaveLength(1);
  });

  it('is the same in the docs as in the code', () => {
    const expected = Object.entries(SgipConfigSchema.properties).map(([name, field]) => [
      `\`${name}\``,
      field.default === undefined ? 'required' : `\`${JSON.stringify(field.default)}\``,
      field.description,
    ]);
    expect(readTable('Configuration')).toEqual(expected);
  });
});

describe('the options of the message centre', () => {
  it('are the same in the docs as in the code', () => {
    const expected = Object.entries(SGIP_OPTIONS).map(([name, { value, help }]) => [
      `\`${nameFlag(name)}\``,
      `\`${JSON.stringify(value)}\``,
      help,
    ]);
    expect(readTable('The message centre')).toEqual(expected);
  });
});
