// The same bulk over every kind of channel, in turns: what a protocol costs beside SMPP.

import { type Bench, type Scenario, scaleSize } from '../bench.js';
import type { Figures } from '../figures.js';
import { type BenchCarriers, KINDS, startCarriers } from '../lab/carriers.js';
import { addCustomers } from '../lab/customers.js';
import { type BenchService, startBenchService } from '../lab/service.js';
import { measureLoad } from '../load/measure.js';
import { compareCosts, meanOf } from '../load/turns.js';

const NUMBERS = 25_000;
const NUMBERS_PER_TASK = 2500;
const CONNECTIONS = 4;
const ROUNDS = 2;

export const kinds: Scenario = {
  name: 'kinds',
  summary: 'bulk over SMPP, CMPP, SGIP, SMGP and HTTP in turns',
  usualS: 120,
  async run(bench) {
    bench.title('Bulk over every kind of channel, from the first request to the last receipt');
    const service = await startBenchService(bench.signal);
    let carriers: BenchCarriers | undefined;
    try {
      carriers = await startCarriers(service);
      await measureKinds(bench, service, carriers.channelNos);
    } finally {
      bench.progress('stopping the service');
      await service.stop();
      await carriers?.stop();
    }
  },
};

async function measureKinds(bench: Bench, service: BenchService, channelNos: readonly string[]): Promise<void> {
  const customers = await addCustomers(service, { count: 1, channelNos, ...bench });
  const numbers = scaleSize(bench, NUMBERS);
  const numbersPerTask = Math.min(NUMBERS_PER_TASK, numbers);
  const load = { customers, tasks: Math.ceil(numbers / numbersPerTask), numbersPerTask, connections: CONNECTIONS };
  const rounds = new Map<string, Figures[]>(KINDS.map((kind) => [kind, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const kind of KINDS) {
      bench.progress(`over ${kind}`);
      const figures = await measureLoad(bench, service, { ...load, firm: kind });
      // What runs for the first time runs slowly.
      if (round > 0) rounds.get(kind)?.push(figures);
    }
  }
  const smpp = meanOf(rounds.get('smpp') ?? []);
  for (const kind of KINDS) {
    const { numbers_per_s = 0, ...costs } = meanOf(rounds.get(kind) ?? []);
    const label = `${kind}, ${numbers.toLocaleString('en')} numbers, the mean of ${ROUNDS}, against SMPP`;
    bench.record({
      key: `kinds.${kind}`,
      label,
      figures: { numbers_per_s, ...compareCosts(smpp, costs), ...costs },
    });
  }
}
