import { describe, expect, it } from 'vitest';
import { checkConfig } from '../../../src/channels/check-config.js';
import { SimulatorConfigSchema } from '../../../src/channels/simulator/config.js';

describe('the configuration of the simulator', () => {
  it('has defaults for everything', () => {
    expect(checkConfig(SimulatorConfigSchema, {})).toEqual({
      config: { answer_ms: 0, receipt_ms: 0, deliver_rate: 1, reject_rate: 0, unknown_rate: 0, test_numbers: true },
    });
  });

  it('keeps what is given', () => {
    expect(checkConfig(SimulatorConfigSchema, { answer_ms: 5, deliver_rate: 0.5, test_numbers: false })).toMatchObject({
      config: { answer_ms: 5, deliver_rate: 0.5, test_numbers: false, receipt_ms: 0 },
    });
  });

  it.each([true, false, 'listed'])('takes %s for test_numbers', (value) => {
    expect(checkConfig(SimulatorConfigSchema, { test_numbers: value })).toMatchObject({
      config: { test_numbers: value },
    });
  });

  it('names every fault', () => {
    const { faults } = checkConfig(SimulatorConfigSchema, {
      answer_ms: -1,
      receipt_ms: 1.5,
      deliver_rate: 1.01,
      reject_rate: '0',
      unknown_rate: null,
      test_numbers: 1,
      window: 3,
    });
    expect(faults?.map(({ pointer, code }) => [pointer, code]).sort()).toEqual([
      ['/answer_ms', 'out_of_range'],
      ['/deliver_rate', 'out_of_range'],
      ['/receipt_ms', 'type'],
      ['/reject_rate', 'type'],
      ['/test_numbers', 'type'],
      ['/unknown_rate', 'type'],
      ['/window', 'unknown_field'],
    ]);
  });
});
