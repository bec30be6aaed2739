// Plans one task: routes every number of a normalised payload, counts its parts and prices it. No I/O: the caller reads the inputs and
// writes the result. Here `index` is the position of a number in the task, from 0; later it is the position in its chunk.

import type { NewChunk } from '../chunk/chunk.js';
import type { ChannelTraits } from '../entities/channel.js';
import type { TaskId } from '../id.js';
import { type Alphabet, MAX_PARTS } from '../message/parts.js';
import { type Money, moneyFromMillionths, ZERO } from '../money/money.js';
import { normalisePhone, phoneKey, type Region } from '../phone/phone.js';
import type { ReceiptCode } from '../record/receipt-codes.js';
import type { NumberKey, Receipt } from '../record/records.js';
import { isEach, variablesOf } from '../request/payload.js';
import { ENTRIES_A_STEP, type Steps } from '../steps.js';
import type { Tenant } from '../tenant.js';
import { type NormalisedPayload, NUMBERS_A_STEP } from './normalise-payload.js';
import type { Route, Router } from './routing.js';

/** How many numbers one chunk holds at most: the unit of dispatch. */
export const MAX_CHUNK_NUMBERS = 500;

/** Small tasks are prepared concurrently with large ones, so that a single message does not wait for thousands of numbers. */
export type TaskSize = 'small' | 'large';

export function taskSizeOf(total: number): TaskSize {
  return total <= MAX_CHUNK_NUMBERS ? 'small' : 'large';
}

/** Smaller shares are not worth a chunk on each channel. */
const MIN_SHARE_NUMBERS = 20;

/** True: the number is rejected. A text: it is rejected for what was found, which the plan counts. */
export type CheckNumber = (e164: string, index: number) => boolean | string;

export interface PlanCheck {
  readonly code: Rejection;
  readonly isBeforeRouting: boolean;
  readonly rejects: CheckNumber;
}

export interface PlanContext extends Tenant {
  readonly taskId: TaskId;
  readonly serviceAccountId: bigint;
  readonly expiresAt: Date | null;
  readonly route: Router;
  /** Of the rules that may reject numbers of the task, in order. The last may count a number: it passed all others. */
  readonly checks: readonly PlanCheck[];
  /** The current price of a part, by firm and number. */
  readonly unitPriceAt: (firm: string) => (e164: string) => Money;
  readonly traitsOf: (channelId: bigint) => ChannelTraits;
  readonly templateId: bigint;
  /** Where the rotation over channels starts: differs from task to task, so that tasks with a single chunk use all channels, too. */
  readonly channelOffset: number;
}

export interface Plan {
  readonly chunks: readonly NewChunk[];
  readonly rejected: readonly Receipt[];
  readonly price: Money;
  /** What the checks found, by their code, with the number of numbers. */
  readonly found: ReadonlyMap<Rejection, ReadonlyMap<string, number>>;
}

export type Rejection = Exclude<ReceiptCode, 'not_accepted' | 'no_receipt' | 'no_channel'>;

interface TaskToReject extends Omit<NumberKey, 'seq'> {
  readonly counts: { readonly total: number };
}

/**
 * The receipts of a task that ends before it is prepared: nothing was routed or priced. An entry of a damaged payload that is not a
 * text is undefined and gets no receipt.
 */
export function* rejectAll(
  phones: readonly (string | undefined)[],
  task: TaskToReject,
  code: Rejection,
  region: Region,
): Steps<Receipt[]> {
  const receipts: Receipt[] = [];
  for (const [index, phone] of phones.slice(0, task.counts.total).entries()) {
    if (index % NUMBERS_A_STEP === 0) yield;
    if (phone !== undefined) receipts.push(rejectedReceipt(task, phone, normalisePhone(phone, region), index, code));
  }
  return receipts;
}

export function* planTask(numbers: NormalisedPayload, context: PlanContext): Steps<Plan> {
  const { payload, to, messages } = numbers;
  const rejected: Receipt[] = [];
  const shares = new Map<Route, RouteShares>();
  const seen = new Set<string>();
  const found = new Map<Rejection, Map<string, number>>();
  const before = context.checks.filter(({ isBeforeRouting }) => isBeforeRouting);
  const after = context.checks.filter(({ isBeforeRouting }) => !isBeforeRouting);
  const decide = (index: number): Route | Rejection => {
    const e164 = to[index];
    if (e164 === undefined) return 'invalid_number';
    if (seen.has(e164)) return 'duplicate_number';
    seen.add(e164);
    const rejection = findRejection(before, found, e164, index);
    if (rejection !== undefined) return rejection;
    const route = context.route(e164);
    for (const alphabet of route?.alphabets ?? [ANY_ALPHABET]) {
      if (messages.parts(index, alphabet) > MAX_PARTS) return 'text_too_long';
    }
    return route === undefined ? 'no_route' : (findRejection(after, found, e164, index) ?? route);
  };
  for (let index = 0; index < to.length; index++) {
    if (index % ENTRIES_A_STEP === 0) yield;
    const decision = decide(index);
    if (typeof decision === 'string') {
      rejected.push(rejectedReceipt(context, payload.phones[index] ?? '', to[index], index, decision));
    } else {
      addToShare(shares, decision, to[index] ?? '', index, context);
    }
  }
  const chunks: NewChunk[] = [];
  for (const { byPrice } of shares.values()) {
    for (const share of byPrice.values()) yield* cutChunks(chunks, share, numbers, context);
  }
  let price = 0n;
  for (const chunk of chunks) for (const parts of chunk.numbers.parts) price += chunk.unitPrice * BigInt(parts);
  return { chunks, rejected, price: moneyFromMillionths(price), found };
}

/** A number belongs to the share of its route and price: a chunk has one unit price. */
function addToShare(
  shares: Map<Route, RouteShares>,
  route: Route,
  e164: string,
  index: number,
  context: PlanContext,
): void {
  let ofRoute = shares.get(route);
  if (ofRoute === undefined) {
    ofRoute = { unitPriceOf: context.unitPriceAt(route.firm), byPrice: new Map() };
    shares.set(route, ofRoute);
  }
  const unitPrice = ofRoute.unitPriceOf(e164);
  const share = ofRoute.byPrice.get(unitPrice);
  if (share === undefined) ofRoute.byPrice.set(unitPrice, { route, unitPrice, indices: [index] });
  else share.indices.push(index);
}

function findRejection(
  checks: readonly PlanCheck[],
  found: Map<Rejection, Map<string, number>>,
  e164: string,
  index: number,
): Rejection | undefined {
  for (const { code, rejects } of checks) {
    const finding = rejects(e164, index);
    if (finding === false) continue;
    if (finding !== true) {
      const counts = found.get(code) ?? new Map<string, number>();
      found.set(code, counts.set(finding, (counts.get(finding) ?? 0) + 1));
    }
    return code;
  }
  return undefined;
}

/** The numbers of one route, by unit price. */
interface RouteShares {
  readonly unitPriceOf: (e164: string) => Money;
  readonly byPrice: Map<Money, Share>;
}

interface Share {
  readonly route: Route;
  readonly unitPrice: Money;
  readonly indices: number[];
}

/** Used if no channel serves the number, to decide whether its text is too long. */
const ANY_ALPHABET: Alphabet = 'gsm7';

function rejectedReceipt(
  { customerId, taskId }: Omit<NumberKey, 'seq'>,
  phone: string,
  to: string | undefined,
  index: number,
  code: Rejection,
): Receipt {
  const key = phoneKey(phone, to);
  const unsent = { parts: 0, price: ZERO, firm: null, submittedAt: null, doneAt: null };
  return { customerId, taskId, seq: index + 1, phone, phoneKey: key, result: 'rejected', code, ...unsent };
}

/** Cuts the numbers of one share into chunks, evenly over the channels of its route. */
function* cutChunks(
  chunks: NewChunk[],
  { route, unitPrice, indices }: Share,
  { payload, to, messages }: NormalisedPayload,
  context: PlanContext,
): Steps<void> {
  const { channelIds, firm } = route;
  const evenShare = Math.max(MIN_SHARE_NUMBERS, Math.ceil(indices.length / channelIds.length));
  const size = Math.min(MAX_CHUNK_NUMBERS, evenShare);
  for (let start = 0; start < indices.length; start += size) {
    yield;
    const slice = indices.slice(start, start + size);
    const channelId = channelIds[(context.channelOffset + chunks.length) % channelIds.length];
    if (channelId === undefined) throw new Error(`the route to ${firm} has no channel`);
    const traits = context.traitsOf(channelId);
    chunks.push({
      bucket: context.bucket,
      customerId: context.customerId,
      taskId: context.taskId,
      chunkNo: chunks.length + 1,
      channelId,
      serviceAccountId: context.serviceAccountId,
      firm,
      unitPrice,
      expiresAt: context.expiresAt,
      tried: [],
      numbers: {
        seq: slice.map((index) => index + 1),
        phone: slice.map((index) => payload.phones[index] ?? ''),
        to: slice.map((index) => to[index] ?? ''),
        text: messages.common ?? slice.map(messages.text),
        parts: slice.map((index) => messages.parts(index, traits.alphabet)),
        ...(traits.isWhole === true && { whole: true }),
        ...(route.takesVariables && {
          variables: isEach(payload.variables) ? slice.map((index) => variablesOf(payload, index)) : payload.variables,
          templateId: String(context.templateId),
        }),
      },
    });
  }
}
