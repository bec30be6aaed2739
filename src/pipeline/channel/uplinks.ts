// Inbound messages find the customer they are for: whose service account owns the address they were sent to. What nobody
// owns is kept for the operator, never dropped.

import { hash } from 'node:crypto';
import type { UplinkMessage } from '../../channels/channel.js';
import type { ServiceAccountConfig } from '../../domain/entities/service-account.js';
import { readOptWish } from '../../domain/opt-out.js';
import { parseReference } from '../../domain/part-reference.js';
import { normalisePhone, phoneKey, type Region } from '../../domain/phone.js';
import type { PartKey } from '../../domain/records.js';
import type { Lease } from '../../store/channel-lease.js';
import type { Sql } from '../../store/connect.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { insertUnclaimedUplink, insertUplink, type LastMessage, readLastMessages } from '../../store/uplink.js';
import type { Recorder } from '../settle/recorder.js';

export interface UplinkDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly region: Region;
  readonly recorder: Pick<Recorder, 'flush'>;
}

/** Stores an inbound message; true when a customer claims it. */
export async function storeUplink(deps: UplinkDeps, lease: Lease, message: UplinkMessage): Promise<boolean> {
  const { from, to, text, incomplete = false } = message;
  // Handsets write without the plus sign; the channel gives E.164 digits where it can.
  const normalised = normalisePhone(`+${from}`, deps.region) ?? normalisePhone(from, deps.region);
  const key = phoneKey(from, normalised);
  const reference = message.reference === undefined ? undefined : parseReference(message.reference);
  const accounts = claimants(deps.snapshot(), to, reference);
  const tenants = deps.snapshot().tenants(accounts.map((account) => account.customerId));
  // A quick handset may be ahead of the record of what it answers.
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([...new Set(tenants.map(({ bucket }) => bucket))].map(deps.recorder.flush));
  const last = await readLastMessages(deps.sql, tenants, key);
  const account = choose(accounts, last);
  const tenant = tenants.find(({ customerId }) => customerId === account?.customerId);
  if (account === undefined || tenant === undefined) {
    await insertUnclaimedUplink(deps.sql, lease, { from, to, text, incomplete });
    return false;
  }
  const answered = last.find((entry) => entry.customerId === account.customerId);
  const uplink = {
    ...tenant,
    channelId: lease.channelId,
    serviceAccountId: account.serviceAccountId,
    taskId: reference?.taskId ?? answered?.taskId ?? null,
    phone: answered?.phone ?? from,
    phoneKey: key,
    firm: answered?.firm ?? null,
    content: text,
    incomplete,
    fingerprint: hash('sha256', [lease.channelId, from, to, message.reference ?? '', text].join('\n'), 'base64url'),
  };
  await insertUplink(deps.sql, lease, uplink, readOptWish(text));
  return true;
}

function claimants(
  snapshot: Snapshot,
  sender: string,
  reference: PartKey | undefined,
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
