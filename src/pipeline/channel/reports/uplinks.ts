// Stores inbound messages for the customer whose service account has the recipient address. Messages to unknown addresses are kept for
// the operator.

import { hash } from 'node:crypto';
import type { UplinkMessage } from '../../../channels/channel.js';
import type { ServiceAccountConfig } from '../../../domain/entities/service-account.js';
import { readOptWish } from '../../../domain/message/opt-out.js';
import { normalisePhone, phoneKey, type Region } from '../../../domain/phone/phone.js';
import { parseReference } from '../../../domain/record/part-reference.js';
import type { PartKey } from '../../../domain/record/records.js';
import type { Lease } from '../../../store/channel/channel-lease.js';
import { bucketSql } from '../../../store/cluster/distribution.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import type { Sql } from '../../../store/sql.js';
import {
  insertUnclaimedUplink,
  insertUplink,
  type LastMessage,
  type MayRepeat,
  readLastMessages,
} from '../../../store/wire/uplink.js';
import type { Recorder } from '../../settle/recorder.js';
import { createRepeatWatch } from './uplink-repeats.js';

export interface UplinkDeps {
  readonly sql: Sql;
  readonly snapshot: () => Snapshot;
  readonly region: Region;
  readonly recorder: Pick<Recorder, 'flush'>;
  readonly now: () => number;
}

/**
 * Stores the messages of one sender one after the other: they keep their order, and a repeat that arrives while the first is being
 * stored is recognised. Returns true if the message belongs to a customer.
 */
export function createUplinkStore(deps: UplinkDeps, lease: Lease): (message: UplinkMessage) => Promise<boolean> {
  const lastOf = new Map<string, Promise<unknown>>();
  const repeats = createRepeatWatch(deps.now);
  return async (message) => {
    const { from } = message;
    const before = lastOf.get(from);
    const fingerprint = fingerprintOf(lease, message);
    const { mayRepeat, onStored } = repeats.received(fingerprint, message);
    const storing = (before ?? Promise.resolve()).then(() => storeUplink(deps, lease, message, fingerprint, mayRepeat));
    const settled = storing.catch(() => undefined);
    lastOf.set(from, settled);
    try {
      const isClaimed = await storing;
      onStored();
      return isClaimed;
    } finally {
      if (lastOf.get(from) === settled) lastOf.delete(from);
    }
  };
}

function fingerprintOf({ channelId }: Lease, { from, to, reference = '', text, mark }: UplinkMessage): string {
  const words = [channelId, from, to, reference, text, ...(mark === undefined ? [] : [mark])];
  return hash('sha256', words.join('\n'), 'base64url');
}

async function storeUplink(
  deps: UplinkDeps,
  lease: Lease,
  message: UplinkMessage,
  fingerprint: string,
  mayRepeat: MayRepeat,
): Promise<boolean> {
  const { from, to, text, incomplete = false } = message;
  // The channel normalises the sender to E.164 digits if it can.
  const normalised = normalisePhone(`+${from}`, deps.region) ?? normalisePhone(from, deps.region);
  const key = phoneKey(from, normalised);
  const reference = message.reference === undefined ? undefined : parseReference(message.reference);
  const serviceAccounts = claimants(deps.snapshot(), to, reference);
  const tenants = deps.snapshot().tenants(serviceAccounts.map((serviceAccount) => serviceAccount.customerId));
  // A reply may arrive before the message that it answers is recorded.
  await new Promise((resolve) => setImmediate(resolve));
  const customerIds = new Set(tenants.map(({ customerId }) => customerId));
  const buckets = new Set(tenants.map(({ bucket }) => bucket));
  await Promise.all([...buckets].map((bucket) => deps.recorder.flush(bucket, customerIds)));
  const last = await readLastMessages(deps.sql, tenants, key);
  const serviceAccount = choose(onChannel(deps.snapshot(), lease.channelId, serviceAccounts, last), last);
  const tenant = tenants.find(({ customerId }) => customerId === serviceAccount?.customerId);
  if (serviceAccount === undefined || tenant === undefined) {
    await insertUnclaimedUplink(deps.sql, lease, { from, to, text, incomplete, fingerprint }, mayRepeat);
    return false;
  }
  const answered = last.find((entry) => entry.customerId === serviceAccount.customerId);
  const uplink = {
    ...tenant,
    channelId: lease.channelId,
    serviceAccountId: serviceAccount.serviceAccountId,
    taskId: reference?.taskId ?? answered?.taskId ?? null,
    phone: answered?.phone ?? from,
    phoneKey: key,
    erasedKey: deps.snapshot().erasedKeyOf?.(key),
    firm: answered?.firm ?? null,
    content: text,
    incomplete,
    fingerprint,
  };
  await insertUplink(bucketSql(deps.sql, uplink.bucket), lease, uplink, readOptWish(text), mayRepeat);
  return true;
}

function claimants(
  snapshot: Snapshot,
  sender: string,
  reference: PartKey | undefined,
): readonly ServiceAccountConfig[] {
  const serviceAccounts = snapshot.serviceAccountsBySender(sender);
  return reference === undefined
    ? serviceAccounts
    : serviceAccounts.filter((a) => a.customerId === reference.customerId);
}

/**
 * Of the customers that share an address, those that this channel serves: an address of one carrier is another one at the next. A customer
 * that lost the grant keeps the replies to what it sent there. All of them if it serves none.
 */
function onChannel(
  snapshot: Snapshot,
  channelId: bigint,
  serviceAccounts: readonly ServiceAccountConfig[],
  last: readonly LastMessage[],
): readonly ServiceAccountConfig[] {
  const senders = new Set(
    last.filter((message) => message.channelId === channelId).map(({ customerId }) => customerId),
  );
  const served = serviceAccounts.filter(
    ({ customerId }) => senders.has(customerId) || snapshot.isGranted(customerId, channelId),
  );
  return served.length > 0 ? served : serviceAccounts;
}

/** If customers share an address, the message belongs to the one that last sent to this handset. */
function choose(
  serviceAccounts: readonly ServiceAccountConfig[],
  last: readonly LastMessage[],
): ServiceAccountConfig | undefined {
  const owners = new Set(serviceAccounts.map((serviceAccount) => serviceAccount.customerId));
  const [latest] = last
    .filter(({ customerId }) => owners.has(customerId))
    .sort((a, b) => (a.submitId > b.submitId ? -1 : 1));
  if (latest !== undefined)
    return serviceAccounts.find((serviceAccount) => serviceAccount.customerId === latest.customerId);
  return owners.size === 1 ? serviceAccounts[0] : undefined;
}
