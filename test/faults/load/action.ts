// One thing that a customer does. A new capability joins the campaign as a module with its actions, listed in actions.ts.

import type { Task } from '@postrider/client';
import type { Dice } from '../dice.js';
import type { History } from '../history.js';
import type { ServiceNode } from '../world/node.js';
import type { Caller } from './caller.js';
import type { CrowdCustomer } from './crowd.js';
import type { CampaignCustomer } from './customers.js';
import type { PhoneBook } from './phones.js';
import type { RuledCustomer } from './ruled.js';

/** A send that was made, with any outcome. */
export interface SentRequest {
  readonly customer: CampaignCustomer;
  readonly request: {
    readonly client_request_id: string;
    readonly phones: readonly string[];
    readonly batch_id?: string;
    readonly send_at?: string;
    readonly expires_at?: string;
  };
  /** Once it is known. */
  taskNo?: string;
}

export interface LoadContext {
  readonly dice: Dice;
  readonly call: Caller;
  readonly history: History;
  readonly phones: PhoneBook;
  readonly customers: readonly CampaignCustomer[];
  readonly crowd: readonly CrowdCustomer[];
  readonly ruled: RuledCustomer;
  /** Messages of the crowd so far. */
  readonly crowdSent: { count: number };
  readonly sent: SentRequest[];
  /** Any process that serves the API, whether it is well or not. */
  pickNode(): ServiceNode;
  createRequestId(): string;
}

export interface Action {
  readonly name: string;
  readonly weight: number;
  run(context: LoadContext): Promise<void>;
}

export const API = '/openapi/v1';

/** Takes the task's number from an answer that has one. */
export function noteTask(sent: SentRequest, status: number, body: unknown): void {
  if (status === 200) sent.taskNo = (body as Task).task_no;
}
