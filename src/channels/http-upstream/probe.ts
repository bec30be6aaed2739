// Whether the upstream can be connected to: a connection, with TLS where it has it, that is closed at once. No request is made.

import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { AddressGuard } from '../../outbound/address-guard.js';

/** Undefined when it can; otherwise why not. */
export function probe(
  url: URL,
  guard: AddressGuard,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    const ending = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    let socket: Socket | undefined;
    const settle = (fault: string | undefined): void => {
      ending.removeEventListener('abort', onEnd);
      socket?.destroy();
      resolve(fault);
    };
    const onEnd = () => settle(`no connection within ${timeoutMs} ms`);
    ending.addEventListener('abort', onEnd);
    try {
      guard.requireReachable(url);
      socket = open(url, guard, ending);
    } catch (error) {
      return settle((error as Error).message);
    }
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => settle(undefined));
    socket.on('error', (error) => settle(error.message));
    socket.once('close', () => settle('the connection was closed'));
  });
}

function open(url: URL, guard: AddressGuard, signal: AbortSignal): Socket {
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  const options = { host, port, lookup: guard.lookupFor(url, signal) };
  return isSecure ? connectTls({ ...options, ...(isIP(host) === 0 && { servername: host }) }) : connectTcp(options);
}
