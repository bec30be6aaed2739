// An SGIP channel: our connections for Submits, opened when there is something to send, and the connections of the gateway,
// which bring reports and uplinks.
import { randomInt } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import type { Channel, ChannelHealth, SessionEvent, SubmitOutcome } from '../channel.js';
import { createAnswerReader } from '../china/answers.js';
import { createInbound } from '../china/inbound.js';
import type { DriverDeps } from '../driver.js';
import { createObserver } from '../session/metrics.js';
import { openSession } from '../session/session.js';
import { type ConnectionOptions, openSessionChannel, type SessionChannel } from '../session/session-channel.js';
import { createCounter, MAX_SEQUENCE } from '../session/window.js';
import type { SgipConfig } from './config.js';
import { readDelivered } from './delivered.js';
import { joinListener, type ListenerPlace } from './listener.js';
import { createAddressCheck } from './peer-address.js';
import { createSgipProtocol, type SgipPdu, type SgipSubmission } from './protocol.js';
import { createReportWatch, type ReportWatch } from './report-watch.js';
import { RESULTS } from './results.js';
import { createSentParts } from './sent-parts.js';
import { createSubmissionBuilder, findSessionFault, readSubmitAnswer } from './submission.js';

/** What is not configured. */
export interface SgipTiming {
  /** How long connecting may take, and then the login. */
  readonly connectTimeoutMs: number;
  /** The first pause before connecting again; it doubles with each failure, and half of it is random. */
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** How long a part waits for a session when none is up before it is given back unsent. */
  readonly unsentAfterMs: number;
  /** Gateways may close after 60 s of silence. A close that crosses a Submit makes it unknown, so we leave first. */
  readonly idleMs: number;
  /** The gateway's connections may be silent for longer; one that is dead must not hold its place for ever. */
  readonly peerIdleMs: number;
  /** How long to wait for the parts of a long uplink; well under the 30 s in which gateways want an answer. */
  readonly reassemblyMs: number;
  /** Accepted parts without a sign of the gateway's connection for this long are a fault. */
  readonly reportSilenceMs: number;
}

const TIMING: SgipTiming = {
  connectTimeoutMs: 10_000,
  reconnectMinMs: 500,
  reconnectMaxMs: 60_000,
  unsentAfterMs: 1_000,
  idleMs: 45_000,
  peerIdleMs: 600_000,
  reassemblyMs: 8_000,
  reportSilenceMs: 900_000,
};

/** Connections of the gateway, for one channel. */
const MAX_PEER_SESSIONS = 32;
const TCP_KEEPALIVE_MS = 60_000;

// Sequence numbers are message ids: no two Submits of this process share one, whichever channel and session they go over.
// Time and a random start keep them apart from those of other processes and earlier runs.
const nextSequence = createCounter(randomInt(1, MAX_SEQUENCE));

export function openSgipChannel(config: SgipConfig, deps: DriverDeps, timing: Partial<SgipTiming> = {}): Channel {
  const times: SgipTiming = { ...TIMING, ...timing };
  const observer = createObserver(deps.meter);
  const sent = createSentParts();
  const watch = createReportWatch(deps.clock, times.reportSilenceMs, `${config.listen_host}:${config.listen_port}`);
  const protocol = createSgipProtocol({
    node: Number(config.node_id),
    account: config.account,
    password: config.password,
    now: deps.now,
    onSubmit: sent.add,
  });
  const readAnswer = createAnswerReader<SgipPdu>(RESULTS, deps.log, (answer) => readSubmitAnswer(answer, sent));
  const sessionOptions = {
    protocol,
    window: config.window,
    keepaliveMs: undefined,
    responseTimeoutMs: config.response_timeout_ms,
    connectTimeoutMs: times.connectTimeoutMs,
    clock: deps.clock,
    nextSequence,
  };
  const { host, port } = config;
  const connections = Array.from(
    { length: config.sessions },
    (_, index): ConnectionOptions<SgipPdu, SgipSubmission> => ({
      label: `session ${index + 1}`,
      sends: true,
      session: {
        ...sessionOptions,
        connect: () => connect({ host, port, keepAlive: true }),
        connectEvent: 'connect',
        idleMs: times.idleMs,
      },
    }),
  );
  const inner = openSessionChannel<SgipPdu, SgipSubmission>({
    protocol: 'SGIP',
    host,
    port,
    account: config.account,
    connections,
    connectsOnDemand: true,
    sessions: config.sessions,
    window: config.window,
    responseTimeoutMs: config.response_timeout_ms,
    reconnectMinMs: times.reconnectMinMs,
    reconnectMaxMs: times.reconnectMaxMs,
    unsentAfterMs: times.unsentAfterMs,
    buildSubmission: createSubmissionBuilder(config),
    readOutcome(part, answer): SubmitOutcome {
      const outcome = readAnswer(part, answer);
      if (outcome.kind === 'accepted') watch.accepted();
      return outcome;
    },
    findSessionFault,
    inbound: createInbound<SgipPdu>({
      reassemblyMs: times.reassemblyMs,
      clock: deps.clock,
      sourcePrefix: config.source_prefix,
      read: (pdu) => readDelivered(pdu, sent.findReference),
      onReceived(kind) {
        watch.heard();
        observer.received(kind);
      },
    }),
    observer,
    deps,
  });
  return listenForGateway(inner, { config, deps, watch }, (socket, events) =>
    openSession(
      {
        ...sessionOptions,
        connect: () => socket,
        connectEvent: undefined,
        // The listener has checked the login.
        admit: () => undefined,
        idleMs: times.peerIdleMs,
      },
      events,
    ),
  );
}

type PeerEvents = Parameters<Parameters<SessionChannel<SgipPdu>['acceptSession']>[0]>[0];
type PeerSession = ReturnType<Parameters<SessionChannel<SgipPdu>['acceptSession']>[0]>;

/** The channel with the gateway's connections added, in its health too. */
function listenForGateway(
  inner: SessionChannel<SgipPdu>,
  { config, deps, watch }: { config: SgipConfig; deps: DriverDeps; watch: ReportWatch },
  openPeer: (socket: Socket, events: PeerEvents) => PeerSession,
): Channel {
  let peers = 0;
  let sessionListener: ((event: SessionEvent) => void) | undefined;
  /** Why the gateway was refused when it last tried to log in. */
  let refusal: string | undefined;
  let shown: { readonly fault: string | undefined; readonly since: Date } | undefined;

  function accept(socket: Socket): boolean {
    if (peers >= MAX_PEER_SESSIONS) return false;
    peers += 1;
    // SGIP has no keepalive of its own: without one a dead connection would never end.
    socket.setKeepAlive(true, TCP_KEEPALIVE_MS);
    const label = `connection of the gateway from ${socket.remoteAddress}`;
    inner.acceptSession((events) =>
      openPeer(socket, {
        ...events,
        onBound() {
          watch.heard();
          refusal = undefined;
          sessionListener?.({ kind: 'bound', detail: label });
          events.onBound?.();
        },
        onClosed(reason) {
          peers -= 1;
          sessionListener?.({ kind: 'down', detail: `${label}: ${reason}` });
          events.onClosed(reason);
        },
      }),
    );
    return true;
  }

  const place: ListenerPlace = joinListener(config.listen_host, config.listen_port, {
    host: config.host,
    account: config.listen_account || config.account,
    password: config.listen_password || config.password,
    log: deps.log,
    clock: deps.clock,
    isFromHost: createAddressCheck(config.host, deps.clock),
    accept,
    noteRefused(reason) {
      refusal = `a login of the gateway was refused: ${reason}`;
    },
  });

  function findFault(): string | undefined {
    const fault = place.fault();
    if (fault !== undefined || peers > 0) return fault;
    return refusal ?? watch.fault();
  }

  /** Parts still go out when the gateway cannot connect, but nothing is reported. */
  function health(): ChannelHealth {
    const own = inner.health();
    const fault = findFault();
    if (shown === undefined || (shown.fault === undefined) !== (fault === undefined)) {
      shown = { fault, since: new Date(deps.now()) };
    }
    if (fault === undefined || own.state === 'down') return own;
    const detail = own.detail === undefined ? fault : `${own.detail}; ${fault}`;
    return { ...own, state: 'degraded', detail, since: shown.since };
  }

  return {
    ...inner,
    onSession(listener) {
      sessionListener = listener;
      inner.onSession?.(listener);
    },
    health,
    async close() {
      const left = place.leave();
      await inner.close();
      await left;
    },
  };
}
