import type { CallOptions, Listing, OperatorClient, OperatorListOptions } from '@postrider/client';
import { connectAsOperator } from './access/connection.js';
import type { ArgumentSpec, Command, Example, Invocation, OptionSpec } from './command.js';
import { parseMoment } from './duration.js';
import { exitCodes } from './exit-codes.js';
import { listOptions, outputOptions, printListing, printRecord, type RecordShape } from './output/records.js';
import { readPageSize } from './page-size.js';
import { type BodyFields, readBody } from './request-body.js';

interface CommandTexts {
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly examples?: readonly Example[];
}

export const customerArgument: ArgumentSpec = { name: 'CUSTOMER', summary: 'number of the customer', required: true };

interface RecordCommand extends CommandTexts {
  readonly fields?: BodyFields;
  readonly shape: RecordShape;
  /** The body is what the options say; the wire's own validation is the one that counts. */
  call(
    client: OperatorClient,
    args: readonly string[],
    body: Record<string, unknown>,
    options: CallOptions,
  ): Promise<object>;
  /** Why what came back is not what was asked for, where the service cannot answer that with a problem. */
  findMismatch?(answer: object, args: readonly string[], body: Record<string, unknown>): string | undefined;
}

/** A command that reads, creates, changes or removes one thing and prints it. */
export function createRecordCommand({ fields = {}, shape, call, findMismatch, ...texts }: RecordCommand): Command {
  return {
    ...texts,
    options: { ...fields, ...outputOptions },
    async run(invocation) {
      const client = await connectAsOperator(invocation);
      const body = await readBody(invocation, fields);
      const { signal } = invocation.terminal;
      const answer = await call(client, invocation.arguments, body, { signal });
      const mismatch = findMismatch?.(answer, invocation.arguments, body);
      if (mismatch !== undefined) throw new Error(mismatch);
      await printRecord(invocation, answer, shape);
      return exitCodes.ok;
    },
  };
}

/** An option of a list, and the name that the client has for the filter. */
export type ListFilters = Readonly<Record<string, OptionSpec & { readonly filter: string }>>;

/** For lists that can be narrowed by time. */
export const timeFilters: ListFilters = {
  start: {
    type: 'string',
    value: 'TIME',
    filter: 'startAt',
    summary:
      'from this moment on: 2026-11-14T08:00:00Z, 2026-11-14T08:00 (local time), 2026-11-14 (UTC), or 2h ago as 2h',
  },
  end: { type: 'string', value: 'TIME', filter: 'endAt', summary: 'before this moment' },
};

interface ListCommand<Item> extends CommandTexts {
  readonly filters?: ListFilters;
  readonly shape: RecordShape;
  readonly noun: string;
  call(client: OperatorClient, args: readonly string[], options: OperatorListOptions): Listing<Item>;
}

export function createListCommand<Item>({ shape, noun, filters = {}, call, ...texts }: ListCommand<Item>): Command {
  return {
    ...texts,
    options: { ...filters, ...listOptions },
    async run(invocation) {
      const client = await connectAsOperator(invocation);
      const options = {
        pageSize: readPageSize(invocation),
        signal: invocation.terminal.signal,
        ...readFilters(invocation, filters),
      };
      await printListing(invocation, call(client, invocation.arguments, options), shape, noun);
      return exitCodes.ok;
    },
  };
}

/** Those that were given. The service checks them. */
function readFilters(invocation: Invocation, filters: ListFilters): Record<string, string | Date> {
  const given = Object.entries(filters).flatMap(([option, { filter }]): [string, string | Date][] => {
    const text = invocation.text(option);
    if (text === undefined) return [];
    return [[filter, Object.hasOwn(timeFilters, option) ? parseMoment(text, option, Date.now()) : text]];
  });
  return Object.fromEntries(given);
}
