// Connects the sockets of a channel and builds the bind PDUs.
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { SessionOptions } from '../session/session.js';
import type { SmppConfig } from './config.js';
import type { BindCommand } from './pdu.js';
import { type AnyPdu, createSmppProtocol, type SmppSubmission } from './protocol.js';

const INTERFACE_VERSION = 0x34;

/** One entry a connection: a transceiver each, or a transmitter and a receiver for each session. */
export function listBinds(config: SmppConfig): BindCommand[] {
  const binds: BindCommand[] =
    config.bind === 'transceiver' ? ['bind_transceiver'] : ['bind_transmitter', 'bind_receiver'];
  return Array.from({ length: config.sessions }, () => binds).flat();
}

export function createSessionOptions(
  config: SmppConfig,
  bind: BindCommand,
  clock: () => number,
): SessionOptions<AnyPdu, SmppSubmission> {
  return {
    protocol: createSmppProtocol(bind, {
      system_id: config.system_id,
      password: config.password,
      system_type: config.system_type,
      interface_version: INTERFACE_VERSION,
      addr_ton: config.address_ton,
      addr_npi: config.address_npi,
      address_range: config.address_range,
    }),
    connect: () => connectSocket(config),
    connectEvent: config.tls ? 'secureConnect' : 'connect',
    window: config.window,
    keepaliveMs: config.enquire_link_ms,
    responseTimeoutMs: config.response_timeout_ms,
    connectTimeoutMs: config.connect_timeout_ms,
    clock,
  };
}

function connectSocket(config: SmppConfig): Socket {
  const { host, port } = config;
  if (!config.tls) return connectTcp({ host, port, keepAlive: true });
  return connectTls({
    host,
    port,
    // An IP address is checked against the certificate, but must not be sent as a server name.
    servername: config.tls_server_name ?? (isIP(host) === 0 ? host : ''),
    rejectUnauthorized: config.tls_verify,
    ...(config.tls_ca !== undefined && { ca: config.tls_ca }),
  });
}
