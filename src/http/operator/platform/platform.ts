// The platform at a glance: waiting work and its age, the channels, the processes, the books. Read from heartbeats and waiting work, so
// that the cost does not depend on the history.

import type { Channel } from '../../../domain/entities/channel.js';
import type { BooksProof } from '../../../domain/platform.js';
import { readNodes, type SeenNode } from '../../../store/node.js';
import { readChannels } from '../../../store/operator/channel.js';
import {
  addDepths,
  type ChannelLease,
  type QueueDepth,
  readChannelQueue,
  readLeases,
  readToPrepare,
} from '../../../store/operator/platform.js';
import { joinRejections, readRejections } from '../../../store/operator/rejection.js';
import { defineOperation, type OperatorDeps, type OperatorRoute } from '../operator-route.js';
import { PlatformAnswer } from './platform-answer.js';

const HOUR_MS = 3_600_000;

export function createPlatformRoute(deps: OperatorDeps): OperatorRoute {
  return defineOperation({
    method: 'GET',
    path: '/platform',
    name: 'getPlatform',
    permission: 'read',
    tag: 'Platform',
    summary: 'Show backlog, channels and processes',
    description:
      'Counts of a channel are those of the process that owns it, since it took the channel over. Take two readings to compute a rate.',
    answer: { status: 200, schema: PlatformAnswer, description: 'The platform as it is now.' },
    handle: async () => showPlatform(deps),
  });
}

async function showPlatform({ sql, snapshot, now }: OperatorDeps) {
  const buckets = snapshot.current().buckets();
  const inEveryBucket = async (read: (bucket: number) => Promise<QueueDepth>) =>
    addDepths(await Promise.all(buckets.map(read)));
  const since = new Date(Math.floor(now() / HOUR_MS - 1) * HOUR_MS);
  const [channels, leases, nodes, toPrepare, rejections] = await Promise.all([
    readChannels(sql),
    readLeases(sql),
    readNodes(sql),
    inEveryBucket((bucket) => readToPrepare(sql, bucket)),
    Promise.all(buckets.map((bucket) => readRejections(sql, bucket, since))),
  ]);
  const rows = [];
  for (const channel of channels) {
    // Made on another node a moment ago, it may not be known here yet; nothing can wait for it then.
    const channelId = snapshot.current().channelByNo(channel.channel_no)?.channelId;
    const queue = await inEveryBucket((bucket) => readChannelQueue(sql, bucket, channelId ?? 0n));
    rows.push(
      renderChannel(
        channel,
        leases.find((lease) => lease.channel_id === channelId),
        queue,
      ),
    );
  }
  return {
    at: new Date(now()).toISOString(),
    to_prepare: renderDepth('tasks', toPrepare),
    channels: rows,
    nodes: nodes.map((node) => renderNode(node, leases)),
    books: findBooks(nodes),
    rejections: {
      since: since.toISOString(),
      reasons: joinRejections(rejections).map(({ code, count, customers }) => ({
        code,
        count,
        customers: customers.flatMap(({ customerId, count: ofCustomer }) => {
          const customerNo = snapshot.current().customer(customerId)?.customerNo;
          return customerNo === undefined ? [] : [{ customer_no: customerNo, count: ofCustomer }];
        }),
      })),
    },
  };
}

function renderDepth<Name extends string>(name: Name, { count, isExact, oldestAt }: QueueDepth) {
  return { [name]: count, is_exact: isExact, oldest_at: oldestAt?.toISOString() ?? null };
}

function renderChannel(channel: Channel, lease: ChannelLease | undefined, queue: QueueDepth) {
  const { channel_no, name, kind, status, health, parts_per_second } = channel;
  const { window = null, pace = null, figures } = lease?.said ?? {};
  return {
    channel_no,
    name,
    kind,
    status,
    health,
    lease: lease === undefined ? null : { token: Number(lease.token), expires_at: lease.expires_at.toISOString() },
    window,
    rate: {
      configured: parts_per_second,
      pace,
      parts_per_second: figures?.parts_per_second ?? 0,
      reports_per_second: figures?.reports_per_second ?? 0,
    },
    queue: renderDepth('parts', queue),
    counted: figures === undefined ? null : { since: figures.since, at: figures.counted_at, ...figures.counts },
    codes: figures?.codes ?? [],
  };
}

function renderNode({ figures, ...node }: SeenNode, leases: readonly ChannelLease[]) {
  const { books: _, set_aside: __, sealing_key: ___, lost_commits = 0, ...shown } = figures;
  return {
    ...node,
    started_at: node.started_at.toISOString(),
    seen_at: node.seen_at.toISOString(),
    channels: leases.filter(({ owner }) => owner === node.node).length,
    ...shown,
    lost_commits,
  };
}

/** The newest proof; any process that makes one looks at all accounts. */
function findBooks(nodes: readonly SeenNode[]): BooksProof | null {
  const proofs = nodes.flatMap(({ figures }) => (figures.books === null ? [] : [figures.books]));
  return proofs.sort((one, other) => other.checked_at.localeCompare(one.checked_at))[0] ?? null;
}
