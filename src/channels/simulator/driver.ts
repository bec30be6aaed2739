import { defineDriver } from '../driver.js';
import { SimulatorConfigSchema } from './config.js';
import { openSimulator } from './simulator.js';

export const simulatorDriver = defineDriver({
  kind: 'simulator',
  name: 'Simulator',
  config: SimulatorConfigSchema,
  zh: {
    name: '模拟器',
    fields: {
      answer_ms: '应答一条短信所需的毫秒数。',
      receipt_ms: '应答之后多少毫秒给出报告。',
      deliver_rate: '已接收号码中送达的比例，其余为未送达。',
      reject_rate: '立即被拒绝的号码比例。',
      unknown_rate: '应答丢失的号码比例。',
      test_numbers: '哪些号码有固定结果：尾号相同的全部号码、仅列表中的号码，或都没有。',
    },
  },
  traits: { alphabet: 'gsm7' },
  messageIdFormat: 'auto',
  open: openSimulator,
});
