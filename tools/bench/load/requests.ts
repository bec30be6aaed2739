// The send requests of a load, made before the clock starts.

import type { BenchCustomer } from '../lab/customers.js';

export interface RequestOrder {
  readonly customers: readonly BenchCustomer[];
  readonly tasks: number;
  readonly numbersPerTask: number;
  readonly firm: string;
  /** Accepted and left alone, or sent as far as it goes. */
  readonly isSent: boolean;
}

export interface SendRequest {
  readonly customer: BenchCustomer;
  readonly body: string;
}

/** The numbers of one load follow each other; none ends like a test number of the simulator. */
function createPhones(): () => string {
  let next = 13_000_000_000 + Math.floor(Math.random() * 500_000_000);
  return () => {
    do next += 1;
    while (next % 10_000 > 9000 && next % 10_000 < 9010);
    return String(next);
  };
}

/** The customers take turns. */
export function createRequests({ customers, tasks, numbersPerTask, firm, isSent }: RequestOrder): SendRequest[] {
  const nextPhone = createPhones();
  const automation = isSent ? { auto_freeze: true, auto_submit: true } : { auto_prepare: false };
  return Array.from({ length: tasks }, (_, index) => {
    const customer = customers[index % customers.length];
    if (customer === undefined) throw new Error('A load needs a customer.');
    const body = JSON.stringify({
      template_no: customer.templateNo,
      phones: Array.from({ length: numbersPerTask }, nextPhone),
      variable_values: { p1: 'Ann' },
      target_firms: [firm],
      ...automation,
    });
    return { customer, body };
  });
}
