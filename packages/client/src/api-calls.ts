import { PostriderConnectionError } from './errors.js';
import type { OwnListOptions } from './list-options.js';
import { createFileListing, createListing, type FileListing, type Listing } from './listing.js';
import type { Repeat } from './retry.js';
import { toQuery } from './to-query.js';
import type { Call, CallOptions, Transport } from './transport.js';

/** A path of the API, with its parameters encoded. */
export function path(texts: TemplateStringsArray, ...parameters: readonly (string | number)[]): string {
  return String.raw({ raw: texts }, ...parameters.map((parameter) => encodeURIComponent(parameter)));
}

/** What the calls of both APIs have in common. */
export abstract class ApiCalls {
  protected readonly transport: Transport;

  protected constructor(transport: Transport) {
    this.transport = transport;
  }

  /**
   * Any call of the API: for what this client has no method for. A GET is retried like every query, anything else only
   * where the first attempt certainly did nothing.
   */
  async request<Result>(call: Call): Promise<Result> {
    return (await this.transport.call(call, call.method === 'GET' ? 'repeatable' : 'once')).value as Result;
  }

  protected async call<Result>(call: Call, repeat: Repeat): Promise<Result> {
    const { value } = await this.transport.call(call, repeat);
    if (value === null || (typeof value === 'object' && !Array.isArray(value))) return value as Result;
    const message = 'The answer is JSON that is no object; is it the address of Postrider?';
    throw new PostriderConnectionError('unreadable', message, undefined);
  }

  /** Asks for what the parameters narrow down, which are named as the service names them. */
  protected query<Result>(target: string, options: CallOptions, parameters: readonly string[]): Promise<Result> {
    const query = toQuery(options, parameters);
    return this.call({ ...pickCallOptions(options), method: 'GET', path: target, query }, 'repeatable');
  }

  protected list<Item>(target: string, options: OwnListOptions, filters: readonly string[] = []): Listing<Item> {
    const query = toQuery(options, filters);
    return createListing(this.transport, target, query, options.pageSize, pickCallOptions(options));
  }

  protected fileList<Item>(
    target: string,
    options: OwnListOptions,
    filters: readonly string[] = [],
  ): FileListing<Item> {
    const query = toQuery(options, filters);
    return createFileListing(this.transport, target, query, options.pageSize, pickCallOptions(options));
  }
}

/** Filters must not reach the transport as if they were its own options. */
function pickCallOptions({ signal, timeoutMs }: CallOptions): CallOptions {
  return { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
}
