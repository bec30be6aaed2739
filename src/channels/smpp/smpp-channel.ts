// An SMPP channel: a session channel with the PDUs of SMPP.
import type { Channel } from '../channel.js';
import type { DriverDeps } from '../driver.js';
import { type SessionObserver, silentObserver } from '../session/metrics.js';
import { openSessionChannel } from '../session/session-channel.js';
import type { SmppConfig } from './config.js';
import { createInbound } from './inbound.js';
import { STATUS } from './pdu.js';
import type { AnyPdu, SmppSubmission } from './protocol.js';
import { createSubmissionBuilder, readOutcome } from './submission.js';
import { createSessionOptions, listBinds } from './transport.js';
import { createUserReferences } from './user-reference.js';

export interface SmppChannelOptions extends Pick<DriverDeps, 'log' | 'clock' | 'now' | 'random'> {
  readonly observer?: SessionObserver;
}

export function openSmppChannel(config: SmppConfig, options: SmppChannelOptions): Channel {
  const { clock, now, observer = silentObserver } = options;
  const throttleCodes: ReadonlySet<number> = new Set(config.throttle_codes);
  const buildBody = createSubmissionBuilder(config, now);
  const userReferences = createUserReferences(config.user_message_reference);
  return openSessionChannel<AnyPdu, SmppSubmission>({
    protocol: 'SMPP',
    host: config.host,
    port: config.port,
    account: config.system_id,
    connections: listBinds(config).map((bind) => ({
      label: bind,
      sends: bind !== 'bind_receiver',
      session: createSessionOptions(config, bind, clock),
    })),
    sessions: config.sessions,
    window: config.window,
    responseTimeoutMs: config.response_timeout_ms,
    reconnectMinMs: config.reconnect_min_ms,
    reconnectMaxMs: config.reconnect_max_ms,
    unsentAfterMs: config.unsent_after_ms,
    buildSubmission(part, submitted) {
      const built = buildBody(part, submitted);
      if (built.fault !== undefined) return built;
      return { submission: { body: built.body, tlvs: userReferences.attach(part, built.tlvs) } };
    },
    readOutcome: (part, answer) => readOutcome(part, answer, throttleCodes),
    // The peer no longer considers the session bound and accepts nothing more: the session is closed and a new one is bound.
    findSessionFault: (answer) =>
      answer.status === STATUS.ESME_RINVBNDSTS ? 'the peer says the session is not bound' : undefined,
    inbound: createInbound({
      config,
      clock,
      findReference: userReferences.find,
      onReceived: (kind) => observer.received(kind),
    }),
    observer,
    deps: options,
  });
}
