// A channel to a gateway that we dial for both directions, over the shared session machinery: CMPP and SMGP.
import { connect } from 'node:net';
import type { Channel, Part, SubmitOutcome } from '../channel.js';
import type { DriverDeps } from '../driver.js';
import { createObserver } from '../session/metrics.js';
import type { SessionProtocol } from '../session/protocol.js';
import { openSessionChannel } from '../session/session-channel.js';
import { MAX_SEQUENCE } from '../session/window.js';
import { createInbound, type Delivered } from './inbound.js';

/** What is not configured. */
export interface GatewayTiming {
  /** How long connecting may take, and then the login. */
  readonly connectTimeoutMs: number;
  /** The first pause before connecting again; it doubles with each failure, and half of it is random. */
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
  /** How long a part waits for a session when none is up before it is given back unsent. */
  readonly unsentAfterMs: number;
  /** How long to wait for the parts of a long uplink; well under the 60 s in which gateways want an answer. */
  readonly reassemblyMs: number;
}

const TIMING: GatewayTiming = {
  connectTimeoutMs: 10_000,
  reconnectMinMs: 500,
  reconnectMaxMs: 60_000,
  unsentAfterMs: 1_000,
  reassemblyMs: 8_000,
};

interface GatewayConfig {
  readonly host: string;
  readonly port: number;
  readonly account: string;
  readonly source_prefix: string;
  readonly sessions: number;
  readonly window: number;
  readonly keepalive_ms: number;
  readonly response_timeout_ms: number;
}

export interface Gateway<Pdu, Submission> {
  /** As log lines name it. */
  readonly name: string;
  /** One for each connection. */
  readonly createProtocol: () => SessionProtocol<Pdu, Submission>;
  /** A code instead of a submission refuses a part that cannot be put on the wire. */
  readonly buildSubmission: (part: Part) => { readonly submission: Submission } | { readonly fault: string };
  readonly readOutcome: (part: Part, answer: Pdu) => SubmitOutcome;
  readonly findSessionFault?: (answer: Pdu) => string | undefined;
  readonly readDelivered: (pdu: Pdu) => Delivered | undefined;
}

export function openGatewayChannel<Pdu, Submission>(
  config: GatewayConfig,
  deps: DriverDeps,
  gateway: Gateway<Pdu, Submission>,
  timing: Partial<GatewayTiming>,
): Channel {
  const { reassemblyMs, connectTimeoutMs, ...pauses } = { ...TIMING, ...timing };
  const { host, port, account, sessions, window } = config;
  const { clock, random } = deps;
  const observer = createObserver(deps.meter);
  const connections = Array.from({ length: sessions }, (_, index) => ({
    label: `session ${index + 1}`,
    sends: true,
    session: {
      protocol: gateway.createProtocol(),
      connect: () => connect({ host, port, keepAlive: true }),
      connectEvent: 'connect' as const,
      window,
      keepaliveMs: config.keepalive_ms,
      responseTimeoutMs: config.response_timeout_ms,
      connectTimeoutMs,
      clock,
      // Another one for each session: gateways answer "duplicate sequence" to numbers that they have seen lately.
      get firstSequence() {
        return 1 + Math.floor(random() * (MAX_SEQUENCE - 1));
      },
    },
  }));
  return openSessionChannel<Pdu, Submission>({
    protocol: gateway.name,
    host,
    port,
    account,
    connections,
    sessions,
    window,
    responseTimeoutMs: config.response_timeout_ms,
    ...pauses,
    buildSubmission: gateway.buildSubmission,
    readOutcome: gateway.readOutcome,
    ...(gateway.findSessionFault && { findSessionFault: gateway.findSessionFault }),
    inbound: createInbound({
      reassemblyMs,
      clock,
      sourcePrefix: config.source_prefix,
      read: gateway.readDelivered,
      onReceived: (kind) => observer.received(kind),
    }),
    observer,
    deps,
  });
}
