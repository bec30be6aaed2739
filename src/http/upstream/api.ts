// Where upstreams over HTTP send delivery reports and inbound messages. The token in the address is all that lets them in:
// whatever else is tried is answered with the same 404, so that strangers learn nothing of channels and tokens.

import { createHash, timingSafeEqual } from 'node:crypto';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ChannelConfig } from '../../domain/entities/channel.js';
import { errorText } from '../../domain/fault/error-text.js';
import { createFault } from '../../domain/fault/fault.js';
import type { Log } from '../../domain/log.js';
import type { ReceiveCallback } from '../../pipeline/channel/reports/receive-callback.js';
import type { SnapshotSource } from '../../store/snapshot/source.js';
import type { Api } from '../api.js';
import type { Bodies } from '../body/bodies.js';
import type { RateLimiter } from '../limits/rate-limit.js';
import { invalidRequest, notFound, Problem, unavailable } from '../problem/problem.js';
import { type Operation, requestTargetOf } from '../route.js';

export interface UpstreamDeps {
  readonly snapshot: Pick<SnapshotSource, 'current' | 'refreshIfStale'>;
  readonly receive: ReceiveCallback;
  readonly log: Log;
  readonly limiter: RateLimiter;
  /** For the audit log. */
  readonly noteCallback: (channelNo: string, kind: (typeof KINDS)[number], address: string) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const KINDS = ['reports', 'uplinks'] as const;
const MAX_BODY_BYTES = 1024 * 1024;
/** Of one channel from one address: several times what any upstream needs. */
const MAX_PER_SECOND = 500;
/** Nothing is compared with the token of a channel that does not exist, and it takes as long. */
const NO_TOKEN = createHash('sha256').update('no channel').digest();

const params = {
  channel_no: Type.String({ description: 'The channel.' }),
  callback_token: Type.String({ description: 'The token of its callbacks.' }),
};

const SUMMARIES = { reports: 'Take delivery reports of an upstream', uplinks: 'Take inbound messages of an upstream' };

const operations: readonly Operation[] = KINDS.map((kind) => ({
  method: 'POST',
  path: `/upstream/{channel_no}/{callback_token}/${kind}`,
  name: kind === 'reports' ? 'receiveReports' : 'receiveUplinks',
  tag: 'Upstream callbacks',
  summary: SUMMARIES[kind],
  description: `The body is what the upstream sends, in the form that \`${kind}\` of the channel describes. 503: send it again.`,
  params,
  answer: { status: 200, description: 'It is stored.' },
  problems: ['payload_too_large'],
}));

export function createUpstreamApi(deps: UpstreamDeps): Api {
  return {
    operations,
    security: 'token',
    tags: [
      { name: 'Upstream callbacks', description: 'What upstreams over HTTP call, at the addresses a channel shows.' },
    ],
    problems: ['not_found', 'unavailable'],
    register(app, { bodies }) {
      for (const kind of KINDS) registerCallback(app, kind, deps, bodies);
    },
  };
}

function registerCallback(
  app: FastifyInstance,
  kind: (typeof KINDS)[number],
  deps: UpstreamDeps,
  bodies: Bodies,
): void {
  app.route({
    method: app.supportedMethods,
    url: `/upstream/:channel_no/:callback_token/${kind}`,
    handler: async (request, reply) => {
      const channel = await findChannel(request, deps);
      if (channel === undefined || request.method !== 'POST') throw notFound();
      const { allowed } = await deps.limiter.take(`callback ${channel.channelId} ${request.ip}`, MAX_PER_SECOND);
      if (!allowed) {
        throw unavailable(errorText('too_many_callbacks'));
      }
      const body = await readBody(request, reply, bodies, channel);
      const [, query = ''] = requestTargetOf(request).split(/\?(.*)/s);
      const result = await deps.receive(channel, kind, { body, query });
      switch (result.kind) {
        case 'stored':
          deps.noteCallback(channel.channelNo, kind, request.ip);
          return reply.code(200).send();
        case 'not_taken':
          throw notFound();
        case 'full':
          throw unavailable(errorText('too_many_callbacks_waiting'));
        case 'malformed':
          deps.log.warn(
            { channel: channel.channelNo, callback: kind, reason: result.reason },
            'a callback was refused',
          );
          throw invalidRequest([createFault('', 'format', errorText('not_callback', { reason: result.reason }))]);
      }
    },
  });
}

/** Undefined for an unknown channel and for a wrong token alike. */
async function findChannel(
  request: FastifyRequest,
  { snapshot, now }: UpstreamDeps,
): Promise<ChannelConfig | undefined> {
  const { channel_no: channelNo = '', callback_token: token = '' } = request.params as Record<string, string>;
  let channel = snapshot.current().channelByNo(channelNo);
  if (channel === undefined) {
    // One made on another node a moment ago may not be known here yet.
    await snapshot.refreshIfStale();
    channel = snapshot.current().channelByNo(channelNo);
  }
  const old = (channel?.oldCallbackTokenUntil?.getTime() ?? 0) > now() ? channel?.oldCallbackToken : null;
  // Both are compared whatever there is: the time of the answer tells nothing.
  const given = digest(token);
  const isRight = [channel?.callbackToken, old].map((expected) => isToken(given, expected)).includes(true);
  return isRight ? channel : undefined;
}

function isToken(given: Buffer, expected: string | null | undefined): boolean {
  const isSame = timingSafeEqual(given, expected == null ? NO_TOKEN : digest(expected));
  return isSame && expected != null;
}

/** Digests have one length, so that comparing them tells nothing. */
function digest(token: string): Buffer {
  return createHash('sha256').update(token, 'utf8').digest();
}

async function readBody(
  request: FastifyRequest,
  reply: FastifyReply,
  bodies: Bodies,
  channel: ChannelConfig,
): Promise<Buffer> {
  const isLong = () => new Problem('payload_too_large', errorText('body_too_large', { max: MAX_BODY_BYTES }));
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw isLong();
  const account = bodies.verified(`upstream ${channel.channelNo}`);
  const { bytes } = await bodies.read(request.raw, reply.raw, { account, isBuffered: true });
  if (bytes.length > MAX_BODY_BYTES) throw isLong();
  return bytes;
}
