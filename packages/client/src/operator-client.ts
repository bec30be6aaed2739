import { path } from './api-calls.js';
import type { SessionOptions } from './client.js';
import { OperatorCalls } from './operator-calls.generated.js';
import {
  type CallOptions,
  createTransport,
  requireOption,
  type Transport,
  type TransportOptions,
} from './transport.js';
import type {
  MoneyRequest,
  OperatorTaskDetail,
  PlatformHistory,
  PlatformRange,
  RouteExplanation,
} from './wire/operator-wire.generated.js';
import type { LedgerEntry } from './wire/wire.generated.js';
import type { TaskMove } from './wire/wire.js';

export interface OperatorClientOptions extends TransportOptions {
  readonly token: string;
}

function createOperatorTransport(options: OperatorClientOptions | SessionOptions): Transport {
  if ('csrfToken' in options) {
    const { csrfToken } = options;
    requireOption('csrfToken', csrfToken);
    return createTransport(options, async () => ({ 'x-csrf-token': csrfToken }));
  }
  requireOption('token', options.token);
  return createTransport(options, async () => ({ authorization: `Bearer ${options.token}` }));
}

/**
 * What an operator may do. Changes, removals and task moves are retried, since repeating them is harmless; so are top-ups
 * and adjustments, which carry a reference. Creating something is repeated only where it certainly did not happen.
 * Methods that only call are `OperatorCalls`.
 */
export class OperatorClient extends OperatorCalls {
  /**
   * Nothing is sent yet; a missing token is refused at once.
   *
   * @example
   * const operator = new OperatorClient({ baseUrl: 'https://sms.example.com', token });
   */
  constructor(options: OperatorClientOptions | SessionOptions) {
    super(createOperatorTransport(options));
  }

  /**
   * What went through all channels, or one, over the last minutes or hours; an hour unless said.
   *
   * @example
   * const { items, step_seconds } = await operator.platformHistory('24h');
   */
  platformHistory(
    range: PlatformRange = '1h',
    { channelNo, ...options }: CallOptions & { readonly channelNo?: string } = {},
  ): Promise<PlatformHistory> {
    const query = { range, ...(channelNo === undefined ? {} : { channel_no: channelNo }) };
    return this.call({ ...options, method: 'GET', path: '/operator/v1/platform/history', query }, 'repeatable');
  }

  /**
   * Why a number would go where it would go with a template, or nowhere.
   *
   * @example
   * const { firm, channels } = await operator.explainRoute('13800138000', templateNo);
   */
  explainRoute(phone: string, templateNo: string, options: CallOptions = {}): Promise<RouteExplanation> {
    const target = path`/operator/v1/numbers/${phone}/route`;
    return this.call({ ...options, method: 'GET', path: target, query: { template_no: templateNo } }, 'repeatable');
  }

  /**
   * Adds money. Give a reference of your own, and repeating it books nothing twice, also after a crash of your program.
   *
   * @example
   * await operator.topUp(customerNo, { amount: '100.00', remark: 'bank transfer', reference: 'pay-4711' });
   */
  topUp(customerNo: string, body: MoneyRequest, options: CallOptions = {}): Promise<LedgerEntry> {
    return this.#moveMoney(path`/operator/v1/customers/${customerNo}/topups`, body, options);
  }

  /**
   * Corrects a balance, up or down.
   *
   * @example
   * await operator.adjust(customerNo, { amount: '-5.00', remark: 'refund by bank', reference: 'fix-12' });
   */
  adjust(customerNo: string, body: MoneyRequest, options: CallOptions = {}): Promise<LedgerEntry> {
    return this.#moveMoney(path`/operator/v1/customers/${customerNo}/adjustments`, body, options);
  }

  /**
   * Moves a task of any customer on: `prepare`, `freeze`, `submit`, `cancel`, `pause` or `resume`. Harmless when repeated.
   *
   * @example
   * await operator.moveTask(taskNo, 'submit');
   */
  moveTask(taskNo: string, move: TaskMove, options: CallOptions = {}): Promise<OperatorTaskDetail> {
    const target = path`/operator/v1/tasks/${taskNo}/${move}`;
    return this.call({ ...options, method: 'POST', path: target }, 'repeatable');
  }

  #moveMoney(target: string, body: MoneyRequest, options: CallOptions): Promise<LedgerEntry> {
    const referenced = { ...body, reference: body.reference ?? crypto.randomUUID() };
    return this.call({ ...options, method: 'POST', path: target, body: referenced }, 'repeatable');
  }
}
