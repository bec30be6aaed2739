import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../../src/channels/check-config.js';
import { checkPauses, SmppConfigSchema } from '../../../src/channels/smpp/config.js';
import { nameFlag, SMPP_OPTIONS } from '../../../tools/message-centre/options.js';

const parseSmppConfig = (input: unknown) => checkConfig(SmppConfigSchema, input, checkPauses);

const REQUIRED = { host: 'smsc.example', port: 2775, system_id: 'us', password: 'secret' };

/** The rows of the table under a heading of docs/smpp.md: name, default, description. */
function readTable(heading: string): string[][] {
  const page = readFileSync(new URL('../../../docs/smpp.md', import.meta.url), 'utf8');
  const section = page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  return section
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(1, -1)
        .split(' | ')
        .map((cell) => cell.trim()),
    );
}

function describeDefault(schema: { default?: unknown }, isRequired: boolean): string {
  if (isRequired) return 'required';
  return schema.default === undefined ? 'none' : `\`${JSON.stringify(schema.default)}\``;
}

describe('the configuration of an SMPP channel', () => {
  it('needs four fields and has a default for the rest', () => {
    expect(parseSmppConfig(REQUIRED).config).toMatchObject({
      ...REQUIRED,
      tls: false,
      bind: 'transceiver',
      sessions: 1,
      window: 10,
      enquire_link_ms: 30_000,
      response_timeout_ms: 10_000,
      message_id_format: 'auto',
    });
  });

  it('reports every fault at once, with pointer and code', () => {
    const { faults } = parseSmppConfig({
      host: '',
      port: 70_000,
      system_id: 'x'.repeat(16),
      bind: 'receiver',
      window: 101,
      tls: 'yes',
      frob: 1,
      service_type: 'é',
      throttle_codes: new Array(33).fill(1),
    });
    expect(new Map(faults?.map(({ pointer, code }) => [pointer, code]))).toEqual(
      new Map([
        ['/password', 'required'],
        ['/frob', 'unknown_field'],
        ['/host', 'too_short'],
        ['/port', 'out_of_range'],
        ['/system_id', 'too_long'],
        ['/bind', 'out_of_range'],
        ['/window', 'out_of_range'],
        ['/tls', 'type'],
        ['/service_type', 'format'],
        ['/throttle_codes', 'too_many'],
      ]),
    );
  });

  it('gets faults like any body: with full names, and twenty at most', () => {
    const unknown = Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`unknown_${index}`, 1]));
    expect(parseSmppConfig({ ...REQUIRED, ...unknown }).faults).toHaveLength(20);
    const long = 'x'.repeat(64);
    const { faults } = parseSmppConfig({ ...REQUIRED, bind: 'receiver', [long]: 1 });
    expect(faults?.map(({ pointer }) => pointer)).toEqual([`/${long}`, '/bind']);
    expect(faults?.[1]?.message).toBe('must be one of: transceiver, transmitter_receiver');
  });

  it.each([null, 7, 'text', []])('is an object, not %j', (input) => {
    expect(parseSmppConfig(input).faults?.length).toBeGreaterThan(0);
  });

  it('holds the longest pause against the shortest', () => {
    const { faults } = parseSmppConfig({ ...REQUIRED, reconnect_min_ms: 1_000, reconnect_max_ms: 500 });
    expect(faults).toMatchObject([{ pointer: '/reconnect_max_ms', code: 'out_of_range' }]);
  });

  it('leaves what it is given as it was', () => {
    const input = { ...REQUIRED };
    parseSmppConfig(input);
    expect(input).toEqual(REQUIRED);
  });

  it('says the same in the docs as in the code', () => {
    const required = new Set(Object.keys(REQUIRED));
    const expected = Object.entries(SmppConfigSchema.properties).map(([name, schema]) => [
      `\`${name}\``,
      describeDefault(schema, required.has(name)),
      schema.description,
    ]);
    expect(readTable('Configuration')).toEqual(expected);
  });
});

describe('the options of the message centre', () => {
  it('are the same in the docs as in the code', () => {
    const expected = Object.entries(SMPP_OPTIONS).map(([name, { value, help }]) => [
      `\`${nameFlag(name)}\``,
      `\`${JSON.stringify(value)}\``,
      help,
    ]);
    expect(readTable('The message centre')).toEqual(expected);
  });
});
