import type { Recipient, VariableValues } from '../wire/wire.generated.js';
import type { SendToPhones, SendToRecipients } from '../wire/wire.js';

/** A send to numbers that are given apart from it: in `sendAll`, any number of them. */
export interface SendAllRequest extends Omit<SendToPhones, 'phones' | 'recipients' | 'client_request_id'> {
  /**
   * Names the whole, and with it every request: repeated under the same name, the same numbers are not sent again and
   * others are refused. Without one it is made from the first numbers, so that the same input is the same batch.
   */
  readonly batch_id?: string;
}

/** A phone, or a phone with variables, which override the common ones. */
export type SendAllNumber = string | Recipient;

/** One of the requests that an input is cut into. */
export interface CutRequest {
  /** From 1. */
  readonly index: number;
  readonly batchId: string;
  readonly request: SendToPhones | SendToRecipients;
}

const maxNumbers = 5_000;
/** Of the 64 characters of an id: room for the dot and the number of a later request. */
const maxNameCharacters = 56;

/**
 * Cuts numbers into requests, in order, while they are still being read. The same numbers make the same requests under the
 * same ids.
 */
export async function* cutRequests(
  request: SendAllRequest,
  numbers: Iterable<SendAllNumber> | AsyncIterable<SendAllNumber>,
  size = maxNumbers,
): AsyncGenerator<CutRequest> {
  if (!Number.isInteger(size) || size < 1 || size > maxNumbers) throw new RangeError('1 to 5000 numbers fit a request');
  const { variable_values: common, ...shared } = request;
  let batchId = request.batch_id;
  let index = 0;
  for await (const chunk of cutNumbers(numbers, size)) {
    index += 1;
    const content = chunk.some(hasVariables)
      ? { recipients: chunk.map((number) => mergeVariables(number, common)) }
      : { phones: chunk.map(phoneOf), ...(common === undefined ? {} : { variable_values: common }) };
    batchId ??= `made-${await hash(JSON.stringify([request.template_no, content]))}`;
    const client_request_id = await nameRequest(batchId, index);
    yield { index, batchId, request: { ...shared, ...content, batch_id: batchId, client_request_id } };
  }
}

async function* cutNumbers(
  numbers: Iterable<SendAllNumber> | AsyncIterable<SendAllNumber>,
  size: number,
): AsyncGenerator<SendAllNumber[]> {
  let chunk: SendAllNumber[] = [];
  for await (const number of numbers) {
    chunk.push(number);
    if (chunk.length < size) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

function phoneOf(number: SendAllNumber): string {
  return typeof number === 'string' ? number : number.phone;
}

function hasVariables(number: SendAllNumber): boolean {
  return typeof number !== 'string' && number.variable_values !== undefined;
}

function mergeVariables(number: SendAllNumber, common: VariableValues | undefined): Recipient {
  const own = typeof number === 'string' ? undefined : number.variable_values;
  return { phone: phoneOf(number), variable_values: { ...nameVariables(common), ...nameVariables(own) } };
}

/** The entries of an array are p1, p2 and so on. */
function nameVariables(values: VariableValues | undefined): object {
  if (!Array.isArray(values)) return values ?? {};
  return Object.fromEntries(values.map((value, at) => [`p${at + 1}`, value]));
}

/**
 * The first request has the name of the batch, also when others follow: an input that has grown past one request then still
 * meets the id under which it was sent before.
 */
async function nameRequest(batchId: string, index: number): Promise<string> {
  if (index === 1) return batchId;
  const name = [...batchId].length <= maxNameCharacters ? batchId : await hash(batchId);
  return `${name}.${index}`;
}

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  const bytes = [...new Uint8Array(digest)].slice(0, 16);
  return bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
