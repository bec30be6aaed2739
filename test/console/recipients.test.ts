import { describe, expect, test } from 'vitest';
import { readRecipients, replacePhone, splitCsv } from '../../packages/console/src/pages/compose/recipients.js';
import { cutRows, type Draft, planSend } from '../../packages/console/src/pages/compose/send-plan.js';

describe('a pasted list', () => {
  test('one number a line', () => {
    expect(readRecipients('13800139001\n13800139002\n')).toEqual({
      columns: ['A'],
      rows: [['13800139001'], ['13800139002']],
      phoneColumn: 0,
    });
  });

  test('numbers in one line, separated by commas', () => {
    expect(readRecipients('13800139001, 13800139002,13800139003').rows).toHaveLength(3);
  });

  test('a CSV with a heading, its numbers in any column', () => {
    const table = readRecipients('\uFEFFname;phone\r\nAnn;+86 138 0013 9001\r\n"Bob; the second";13800139002\r\n');
    expect(table.columns).toEqual(['name', 'phone']);
    expect(table.phoneColumn).toBe(1);
    expect(table.rows[1]).toEqual(['Bob; the second', '13800139002']);
  });

  test('a number that is wrong in the first line is a row, not a heading', () => {
    expect(readRecipients('nonsense\nnonsense\n').rows).toHaveLength(2);
  });

  test('nothing is nothing', () => {
    expect(readRecipients(' \n\n').rows).toEqual([]);
  });

  test('quotes and line ends inside of fields', () => {
    expect(splitCsv('a,"b ""quoted""\nand on",c\n', ',')).toEqual([['a', 'b "quoted"\nand on', 'c']]);
  });
});

describe('the requests of a send', () => {
  const draft: Draft = {
    templateNo: 'M1',
    firms: [],
    rows: Array.from({ length: 12_001 }, (_, index) => [String(13_900_000_000 + index), `Ann ${index}`]),
    phoneColumn: 0,
    variables: { p1: { kind: 'column', column: 1 }, p2: { kind: 'text', text: 'now' } },
    reference: 'spring',
    title: '',
    isSubmitted: true,
    sendAt: undefined,
    expiresAt: undefined,
    hasBatch: true,
  };

  test('hold at most 5,000 numbers each, in the order of the list', async () => {
    const bodies = await planSend(draft);
    expect(bodies.map((body) => body.recipients?.length)).toEqual([5_000, 5_000, 2_001]);
    const last = bodies[2]?.recipients?.[2_000];
    expect(last).toEqual({ phone: '13900012000', variable_values: { p1: 'Ann 12000', p2: 'now' } });
    expect(cutRows([])).toEqual([]);
  });

  test('are one batch under ids that fit', async () => {
    const bodies = await planSend({ ...draft, reference: 'x'.repeat(40) });
    expect(new Set(bodies.map((body) => body.batch_id)).size).toBe(1);
    for (const body of bodies) expect(body.client_request_id?.length).toBeLessThanOrEqual(64);
  });

  test('are no batch where one request takes them all', async () => {
    const [body, ...others] = await planSend({ ...draft, rows: draft.rows.slice(0, 5_000) });
    expect(body).not.toHaveProperty('batch_id');
    expect(others).toEqual([]);
  });

  test('are the same for the same content, and others for any other', async () => {
    const idOf = async (change: Partial<Draft>) => (await planSend({ ...draft, ...change }))[0]?.client_request_id;
    expect(await idOf({})).toBe(await idOf({}));
    expect(await idOf({ reference: 'summer' })).not.toBe(await idOf({}));
    expect(await idOf({ rows: draft.rows.slice(1) })).not.toBe(await idOf({}));
    expect(await idOf({ sendAt: '2026-12-01T00:00:00.000Z' })).not.toBe(await idOf({}));
  });

  test('give everybody the same where no column is used', async () => {
    const [body] = await planSend({
      ...draft,
      rows: [['13800139001']],
      variables: { p1: { kind: 'text', text: 'Ann' } },
    });
    expect(body).toMatchObject({ phones: ['13800139001'], variable_values: { p1: 'Ann' }, auto_submit: true });
  });
});

test('a number is replaced where it stands whole, and nowhere else', () => {
  const list = 'phone,name\n4915112345678,Ann\n+4915112345678,Bob\n49151123456789,4915112345678 x\n';
  expect(replacePhone(list, '4915112345678', '+4915112345678')).toBe(
    'phone,name\n+4915112345678,Ann\n+4915112345678,Bob\n49151123456789,+4915112345678 x\n',
  );
  expect(replacePhone('(49) 151,4915', '(49) 151', '+49151')).toBe('+49151,4915');
});
