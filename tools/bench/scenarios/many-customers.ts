// The same load from ever more customers. Speed must depend on the numbers alone, not on whose they are.

import { type Bench, type Scenario, scaleSize } from '../bench.js';
import { UPSTREAMS, type Upstream } from '../lab/lab.js';
import { measureLoad, warmUp } from '../load/measure.js';

const CUSTOMERS = [1, 10, 100, 1000];

interface Spread {
  readonly name: 'bulk' | 'single';
  readonly numbers: number;
  readonly taskSizes: readonly number[];
  readonly connections: number;
}

const BULK: Spread = { name: 'bulk', numbers: 50_000, taskSizes: [5000, 500, 50], connections: 4 };
const SINGLE: Spread = { name: 'single', numbers: 8000, taskSizes: [1], connections: 64 };

/** Each customer sends at least one task; with more customers than tasks there would only be fewer of them. */
function chooseCustomers(tasks: number): number[] {
  return CUSTOMERS.filter((count) => count <= tasks);
}

async function runSpread(bench: Bench, spread: Spread): Promise<void> {
  for (const upstream of ['simulator', 'smpp'] as const) {
    bench.title(describeTitle(spread, upstream));
    const lab = await bench.lab();
    const firm = upstream;
    await warmUp(bench, lab.service, { customers: await lab.customers(1), firm, connections: spread.connections });
    for (const taskSize of spread.taskSizes) {
      const numbers = scaleSize(bench, spread.numbers);
      const tasks = Math.ceil(numbers / taskSize);
      // A load that is smaller than one task is one smaller task.
      const numbersPerTask = Math.min(taskSize, numbers);
      let alone: number | undefined;
      for (const count of chooseCustomers(tasks)) {
        const customers = await lab.customers(count);
        const load = { customers, tasks, numbersPerTask, firm, connections: spread.connections };
        const { numbers_per_s = 0, ...costs } = await measureLoad(bench, lab.service, load);
        alone ??= numbers_per_s;
        bench.record({
          key: `${spread.name}.${upstream}.${taskSize}.${count}`,
          label: `${describeTasks(tasks, numbersPerTask)} of ${count === 1 ? 'one customer' : `${count} customers`}`,
          figures: { numbers_per_s, ratio: numbers_per_s / alone, ...costs },
        });
      }
    }
  }
}

function describeTitle({ name }: Spread, upstream: Upstream): string {
  const what = name === 'bulk' ? 'Bulk' : 'Single numbers';
  return `${what} over ${UPSTREAMS[upstream]}, from the first request to the last receipt`;
}

function describeTasks(tasks: number, numbersPerTask: number): string {
  if (numbersPerTask === 1) return `${tasks.toLocaleString('en')} numbers`;
  return `${tasks.toLocaleString('en')} × ${numbersPerTask.toLocaleString('en')}`;
}

export const bulk: Scenario = {
  name: 'bulk',
  summary: 'tasks of many numbers with 1, 10, 100 and 1,000 customers, over the simulator and SMPP',
  usualS: 250,
  run: (bench) => runSpread(bench, BULK),
};

export const single: Scenario = {
  name: 'single',
  summary: 'tasks of one number with 1, 10, 100 and 1,000 customers, over the simulator and SMPP',
  usualS: 60,
  run: (bench) => runSpread(bench, SINGLE),
};
