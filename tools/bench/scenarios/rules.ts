// The same bulk of a customer without rules and of one with all of them, in turns: what the rules cost.

import { type Bench, type Scenario, scaleSize } from '../bench.js';
import type { Figures } from '../figures.js';
import { addCustomers, type BenchCustomer } from '../lab/customers.js';
import { addChannel } from '../lab/lab.js';
import { type BenchService, startBenchService } from '../lab/service.js';
import { measureLoad } from '../load/measure.js';
import { compareCosts, meanOf } from '../load/turns.js';

const NUMBERS = 50_000;
const NUMBERS_PER_TASK = 5000;
const CONNECTIONS = 4;
const ROUNDS = 3;
const PLAIN_FIRM = 'simulator';
const FILED_FIRM = 'filed';
const BLOCKED_WORDS = 1000;
const CLASSES = ['otp', 'notice', 'promotion'] as const;

export const rules: Scenario = {
  name: 'rules',
  summary: 'bulk without rules and with caps, windows, a signature, blocked words and a price list',
  usualS: 90,
  async run(bench) {
    bench.title('Rules: bulk over the simulator, from the first request to the last receipt');
    const service = await startBenchService(bench.signal);
    try {
      await measureRules(bench, service);
    } finally {
      bench.progress('stopping the service');
      await service.stop();
    }
  },
};

async function measureRules(bench: Bench, service: BenchService): Promise<void> {
  const filed = { kind: 'simulator', firm: FILED_FIRM, config: {}, requiresFiling: true } as const;
  const channelNos = [
    await addChannel(service, { kind: 'simulator', firm: PLAIN_FIRM, config: {} }),
    await addChannel(service, filed),
  ];
  const [plain, ruled] = await addCustomers(service, { count: 2, channelNos, ...bench });
  if (plain === undefined || ruled === undefined) throw new Error('A customer is missing.');
  await addRules(service, ruled, channelNos[1] ?? '');
  const numbers = scaleSize(bench, NUMBERS);
  const numbersPerTask = Math.min(NUMBERS_PER_TASK, numbers);
  const load = { tasks: Math.ceil(numbers / numbersPerTask), numbersPerTask, connections: CONNECTIONS };
  const rounds: Record<'plain' | 'ruled', Figures[]> = { plain: [], ruled: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const figures = await measureLoad(bench, service, { ...load, customers: [plain], firm: PLAIN_FIRM });
    const ruledFigures = await measureLoad(bench, service, { ...load, customers: [ruled], firm: FILED_FIRM });
    // What runs for the first time runs slowly.
    if (round === 0) continue;
    rounds.plain.push(figures);
    rounds.ruled.push(ruledFigures);
  }
  const size = `${numbers.toLocaleString('en')} numbers, the mean of ${ROUNDS}`;
  const without = meanOf(rounds.plain);
  const { numbers_per_s = 0, ...costs } = meanOf(rounds.ruled);
  bench.record({ key: 'rules.none', label: `without rules, ${size}`, figures: without });
  bench.record({
    key: 'rules.all',
    label: `with all rules, ${size}, against none`,
    figures: { numbers_per_s, ...compareCosts(without, costs), ...costs },
  });
}

/** Rules that every number passes: what is measured is their work, not what they spare. */
async function addRules({ operator }: BenchService, { customerNo }: BenchCustomer, channelNo: string): Promise<void> {
  const always = { from: '00:00', to: '24:00', time_zone: 'Asia/Shanghai', days: [1, 2, 3, 4, 5, 6, 7] };
  await operator.updateCustomer(customerNo, {
    caps: [
      { class: null, scope: 'customer', count: 1000, per: '24h' },
      { class: 'notice', scope: 'template', count: 1000, per: '1h' },
    ],
    send_windows: CLASSES.map((ofClass) => ({ class: ofClass, ...always, outside: 'hold' })),
  });
  const words = Array.from({ length: BLOCKED_WORDS }, (_, at) => `blocked word ${at}`);
  await operator.addBlockedWords({ words, customer_no: customerNo });
  for (const prefix of [null, '8613', '86130', '86131']) {
    await operator.createPrice(customerNo, { firm: FILED_FIRM, class: 'notice', prefix, unit_price: '0.04' });
  }
  for await (const { service_account_no: accountNo } of operator.serviceAccounts(customerNo)) {
    await operator.updateServiceAccount(customerNo, accountNo, { signature: 'Bench' });
    await operator.setFiling(customerNo, accountNo, { channel_no: channelNo, status: 'filed' });
  }
}
