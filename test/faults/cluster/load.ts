// What twenty customers do while their cluster is harmed: each sends its numbers task by task, a few of them open at a time, so
// that requests are accepted, too, at every moment of the run.

import { setTimeout as sleep } from 'node:timers/promises';
import { createPhones, createSender, type Sender } from '../../support/campaign.js';

export interface ClusterCustomer extends Sender {
  readonly bucket: number;
  /** The first of its numbers; they follow each other. */
  readonly first: number;
  readonly count: number;
}

const OPEN_TASKS = 3;
const NUMBERS_PER_TASK = 500;
const LOOK_MS = 250;
/** A machine is away for a while: senders retry until it is back. */
const ATTEMPTS = 1000;

export interface CustomersWish {
  readonly customers: number;
  /** Of all of them together. */
  readonly numbers: number;
  readonly channelNos: readonly string[];
  bucketOf(customerNo: string): Promise<number>;
}

export async function createCustomers(url: string, wish: CustomersWish): Promise<ClusterCustomer[]> {
  const count = Math.floor(wish.numbers / wish.customers);
  const made: ClusterCustomer[] = [];
  for (let at = 0; at < wish.customers; at += 1) {
    const sender = await createSender(url, wish.channelNos, { name: `Customer ${at}` });
    made.push({ ...sender, bucket: await wish.bucketOf(sender.customerNo), first: at * count, count });
  }
  return made;
}

/** Resolves when all its numbers have been handed over or are unknown. */
export async function sendAll(url: string, customer: ClusterCustomer): Promise<void> {
  const client = customer.at(url, ATTEMPTS);
  const isOver = async (taskNo: string) => {
    const { stage } = await client.task(taskNo);
    return stage === 'completed' || stage === 'submit_unknown';
  };
  const open: string[] = [];
  const size = Math.min(NUMBERS_PER_TASK, Math.ceil(customer.count / 10));
  for (let start = 0; start < customer.count; start += size) {
    const task = await client.send({
      template_no: customer.templateNo,
      phones: createPhones(Math.min(size, customer.count - start), customer.first + start),
      client_request_id: `${customer.customerNo}-${start}`,
      auto_freeze: true,
      auto_submit: true,
    });
    open.push(task.task_no);
    while (open.length >= OPEN_TASKS) {
      if (await isOver(open[0] ?? '')) open.shift();
      else await sleep(LOOK_MS);
    }
  }
}
