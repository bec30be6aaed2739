// A CMPP channel: the shared session machinery with the PDUs of CMPP.
import { connect } from 'node:net';
import type { Channel } from '../channel.js';
import type { DriverDeps } from '../driver.js';
import { createObserver } from '../session/metrics.js';
import { type ConnectionOptions, openSessionChannel } from '../session/session-channel.js';
import { MAX_SEQUENCE } from '../session/window.js';
import type { CmppConfig } from './config.js';
import { createInbound } from './inbound.js';
import type { Body } from './pdu.js';
import { type CmppPdu, createCmppProtocol } from './protocol.js';
import { createAnswerReader, createSubmissionBuilder } from './submission.js';

/** What is not configured. */
export interface CmppTiming {
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

const TIMING: CmppTiming = {
  connectTimeoutMs: 10_000,
  reconnectMinMs: 500,
  reconnectMaxMs: 60_000,
  unsentAfterMs: 1_000,
  reassemblyMs: 8_000,
};

export function openCmppChannel(config: CmppConfig, deps: DriverDeps, timing: Partial<CmppTiming> = {}): Channel {
  const { reassemblyMs, connectTimeoutMs, ...pauses } = { ...TIMING, ...timing };
  const observer = createObserver(deps.meter);
  const connections = Array.from({ length: config.sessions }, (_, index) =>
    describeConnection(config, deps, index + 1, connectTimeoutMs),
  );
  return openSessionChannel<CmppPdu, Body<'submit'>>({
    protocol: 'CMPP',
    host: config.host,
    port: config.port,
    account: config.account,
    connections,
    sessions: config.sessions,
    window: config.window,
    responseTimeoutMs: config.response_timeout_ms,
    ...pauses,
    buildSubmission: createSubmissionBuilder(config),
    readOutcome: createAnswerReader(deps.log),
    inbound: createInbound({ reassemblyMs, clock: deps.clock, onReceived: (kind) => observer.received(kind) }),
    observer,
    deps,
  });
}

function describeConnection(
  config: CmppConfig,
  deps: DriverDeps,
  number: number,
  connectTimeoutMs: number,
): ConnectionOptions<CmppPdu, Body<'submit'>> {
  const { host, port } = config;
  return {
    label: `session ${number}`,
    sends: true,
    session: {
      protocol: createCmppProtocol(config, deps),
      connect: () => connect({ host, port, keepAlive: true }),
      connectEvent: 'connect',
      window: config.window,
      keepaliveMs: config.keepalive_ms,
      responseTimeoutMs: config.response_timeout_ms,
      connectTimeoutMs,
      clock: deps.clock,
      // Another one for each session: gateways answer "duplicate sequence" to numbers that they have seen lately.
      get firstSequence() {
        return 1 + Math.floor(deps.random() * (MAX_SEQUENCE - 1));
      },
    },
  };
}
