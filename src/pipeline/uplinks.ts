// Inbound messages find the customer they are for: whose service account owns the address they were sent to. What nobody
// owns is kept for the operator, never dropped.

import type { UplinkMessage } from '../channels/channel.js';
import type { ServiceAccountConfig } from '../domain/entities/service-account.js';
import { readOptWish } from '../domain/opt-out.js';
import { normalisePhone, phoneKey, type Region } from '../domain/phone.js';
import type { Sql } from '../store/connect.js';
import type { Snapshot } from '../store/snapshot/snapshot.js';
import { insertUnclaimedUplink, insertUplink, type LastMessage, readLastMessages } from '../store/uplink.js';
import { type PartReference, parseReference } from './flight.js';
import type { Recorder } from './recorder.js';

export interface UplinkDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly region: Region;
  readonly recorder: Pick<Recorder, 'flush'>;
}

/** Stores an inbound message; true when a customer claims it. */
export async function storeUplink(deps: UplinkDeps, channelId: bigint, message: UplinkMessage): Promise<boolean> {
  // Handsets write without the plus sign; the channel gives E.164 digits where it can.
  const normalised = normalisePhone(`+${message.from}`, deps.region) ?? normalisePhone(message.from, deps.region);
  const key = phoneKey(message.from, normalised);
  const reference = message.reference === undefined ? undefined : parseReference(message.reference);
  const accounts = claimants(deps.snapshot(), message.to, reference);
  const customerIds = [...new Set(accounts.map((account) => account.customerId))];
  // A quick handset may be ahead of the record of what it answers.
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all(customerIds.map((customerId) => deps.recorder.flush(customerId)));
  const last = await readLastMessages(deps.sql, customerIds, key);
  const account = choose(accounts, last);
  const content = message.text.replaceAll('\u0000', '');
  if (account === undefined) {
    await insertUnclaimedUplink(deps.sql, { channelId, from: message.from, to: message.to, text: content });
    return false;
  }
  const { customerId, serviceAccountId } = account;
  const answered = last.find((entry) => entry.customerId === customerId);
  const uplink = {
    customerId,
    channelId,
    serviceAccountId,
    taskId: reference?.taskId ?? answered?.taskId ?? null,
    phone: answered?.phone ?? message.from,
    phoneKey: key,
    firm: answered?.firm ?? null,
    content,
  };
  await insertUplink(deps.sql, uplink, readOptWish(content));
  return true;
}

function claimants(
  snapshot: Snapshot,
  sender: string,
  reference: PartReference | undefined,
): readonly ServiceAccountConfig[] {
  const accounts = snapshot.serviceAccountsBySender(sender);
  return reference === undefined ? accounts : accounts.filter((a) => a.customerId === reference.customerId);
}

/** Customers may share an address; the message then answers whoever wrote to that handset last. */
function choose(
  accounts: readonly ServiceAccountConfig[],
  last: readonly LastMessage[],
): ServiceAccountConfig | undefined {
  const [latest] = [...last].sort((a, b) => (a.submitId > b.submitId ? -1 : 1));
  if (latest !== undefined) return accounts.find((account) => account.customerId === latest.customerId);
  const owners = new Set(accounts.map((account) => account.customerId));
  return owners.size === 1 ? accounts[0] : undefined;
}
