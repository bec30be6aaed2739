// Commands that ask one thing of the service and print the answer, as a customer or as the operator.

import type { CallOptions, Listing, OperatorListOptions } from '@postrider/client';
import { connectAsCustomer, connectAsOperator } from './access/connection.js';
import type { ArgumentSpec, Command, Example, Invocation } from './command.js';
import { exitCodes } from './exit-codes.js';
import { type ListFilters, readListOptions } from './list-filters.js';
import { listOptions, outputOptions, printListing, printRecord, type RecordShape } from './output/records.js';
import { type BodyFields, readBody } from './request-body.js';

interface CommandTexts {
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly examples?: readonly Example[];
}

export const customerArgument: ArgumentSpec = { name: 'CUSTOMER', summary: 'number of the customer', required: true };

interface RecordCommand<Client> extends CommandTexts {
  readonly fields?: BodyFields;
  readonly shape: RecordShape;
  /** The body is what the options say; the wire's own validation is the one that counts. */
  call(client: Client, args: readonly string[], body: Record<string, unknown>, options: CallOptions): Promise<object>;
  /** Why what came back is not what was asked for, where the service cannot answer that with a problem. */
  findMismatch?(answer: object, args: readonly string[], body: Record<string, unknown>): string | undefined;
}

interface ListCommand<Client, Item> extends CommandTexts {
  readonly filters?: ListFilters;
  readonly shape: RecordShape;
  readonly noun: string;
  call(client: Client, args: readonly string[], options: OperatorListOptions): Listing<Item>;
}

function createCommandMakers<Client>(connect: (invocation: Invocation) => Promise<Client>) {
  return {
    /** A command that reads, creates, changes or removes one thing and prints it. */
    record({ fields = {}, shape, call, findMismatch, ...texts }: RecordCommand<Client>): Command {
      return {
        ...texts,
        options: { ...fields, ...outputOptions },
        async run(invocation) {
          const client = await connect(invocation);
          const body = await readBody(invocation, fields);
          const { signal } = invocation.terminal;
          const answer = await call(client, invocation.arguments, body, { signal });
          const mismatch = findMismatch?.(answer, invocation.arguments, body);
          if (mismatch !== undefined) throw new Error(mismatch);
          await printRecord(invocation, answer, shape);
          return exitCodes.ok;
        },
      };
    },
    list<Item>({ shape, noun, filters = {}, call, ...texts }: ListCommand<Client, Item>): Command {
      return {
        ...texts,
        options: { ...filters, ...listOptions },
        async run(invocation) {
          const client = await connect(invocation);
          const listing = call(client, invocation.arguments, readListOptions(invocation, filters));
          await printListing(invocation, listing, shape, noun);
          return exitCodes.ok;
        },
      };
    },
  };
}

export const { record: createRecordCommand, list: createListCommand } = createCommandMakers(connectAsOperator);
export const { record: createOwnRecordCommand, list: createOwnListCommand } = createCommandMakers(connectAsCustomer);
