// SGIP gateways connect to us with reports and uplinks. One listener for each local address and port serves every channel of
// this process that is configured with it. A connection gets to its channel by its Bind: login name, password and the address
// of the channel's host. Until then it may hold only one of a few places for a few seconds, so that connections that never
// bind cannot keep the gateway out.
import { createServer, type Server, type Socket } from 'node:net';
import type { Log } from '../../domain/log.js';
import { MAX_FRAME_BYTES } from '../china/fields.js';
import { decodePdu, encodePdu, HEADER_BYTES } from './codec.js';
import { LOGIN_TYPE, type PduOf } from './pdu.js';
import { BAD_LOGIN } from './protocol.js';
import { createRefusalLog } from './refusal-log.js';

/** Connections without a login. One more ends the oldest of them: a gateway binds as soon as it is connected. */
const MAX_WAITING = 64;
/** Of all kinds; the system closes what comes above. */
const MAX_CONNECTIONS = 1_000;
const BIND_WITHIN_MS = 5_000;
/** A Bind has 61 octets. */
const MAX_BIND_BYTES = 256;
const RETRY_MS = 1_000;
const TOO_MANY_CONNECTIONS = 3;
const WRONG_LOGIN_TYPE = 4;
/** What a gateway logs in with. Type 1 is the login of a service provider. */
const LOGIN_TYPES: readonly number[] = [LOGIN_TYPE.fromGateway, LOGIN_TYPE.test];
const SHARED_LOGIN = 'another channel listens for the same login';

/** A channel that the gateway connects to. */
export interface ListenerUser {
  readonly host: string;
  readonly account: string;
  readonly password: string;
  readonly log: Log;
  readonly clock: () => number;
  isFromHost(remote: string): Promise<boolean>;
  /** Takes a connection whose Bind is still to be read; false when the channel has too many. */
  accept(socket: Socket): boolean;
  /** A login from the address of its gateway was refused; it may have been meant for this channel. */
  noteRefused(reason: string): void;
}

export interface ListenerPlace {
  /** Why the gateway cannot connect; undefined when it can. */
  fault(): string | undefined;
  /** Resolves when the channel gets no more connections. */
  leave(): Promise<void>;
}

interface Listener {
  readonly users: Set<ListenerUser>;
  fault(): string | undefined;
  close(): Promise<void>;
}

const listeners = new Map<string, Listener>();

export function joinListener(host: string, port: number, user: ListenerUser): ListenerPlace {
  const key = `${host} ${port}`;
  const listener = listeners.get(key) ?? openListener(host, port, user.log, user.clock);
  listeners.set(key, listener);
  listener.users.add(user);
  return {
    fault: () => listener.fault() ?? findClash(listener.users, user),
    async leave() {
      if (!listener.users.delete(user) || listener.users.size > 0) return;
      if (listeners.get(key) === listener) listeners.delete(key);
      await listener.close();
    },
  };
}

/**
 * A report that comes over a login of two channels may be about a part of either. Accepted by the wrong one it would be acknowledged and
 * lost, so such logins are refused. The API refuses the configuration; this is for a host that is spelled in two ways.
 */
function findClash(users: ReadonlySet<ListenerUser>, user: ListenerUser): string | undefined {
  const isClash = (other: ListenerUser) =>
    other !== user && other.host === user.host && isLoginOf(other, user.account, user.password);
  return [...users].some(isClash) ? SHARED_LOGIN : undefined;
}

function isLoginOf(user: ListenerUser, account: string, password: string): boolean {
  return user.account === account && user.password === password;
}

function openListener(host: string, port: number, log: Log, clock: () => number): Listener {
  const users = new Set<ListenerUser>();
  /** Oldest first. */
  const waiting = new Set<Socket>();
  const refusals = createRefusalLog(clock);
  let fault: string | undefined = 'not listening yet';
  let retry: NodeJS.Timeout | undefined;
  let isClosing = false;
  let server: Server = start();

  function start(): Server {
    const opened = createServer((socket) => handleConnection(socket));
    opened.maxConnections = MAX_CONNECTIONS;
    opened.on('error', (error) => {
      if (isClosing) return;
      const next = `cannot listen on ${host}:${port}: ${error.message}`;
      if (next !== fault) log.warn({ host, port, reason: error.message }, 'SGIP cannot listen for the gateway');
      fault = next;
      opened.close();
      clearTimeout(retry);
      retry = setTimeout(() => {
        server = start();
      }, RETRY_MS);
    });
    // Of this process alone: one of several behind a port would share it with the others.
    opened.listen({ port, host, exclusive: true }, () => {
      fault = undefined;
    });
    return opened;
  }

  function refuse(socket: Socket, reason: string): void {
    logRefusal(socket, reason);
    socket.destroy();
  }

  /** In the log of the channel with that account, or of any. */
  function logRefusal({ remoteAddress: remote }: Socket, reason: string, account?: string): void {
    const user = [...users].find((each) => each.account === account) ?? [...users][0];
    refusals.note(reason, (connections) =>
      user?.log.warn({ remote, listen_port: port, reason, connections }, 'SGIP refused a connection'),
    );
  }

  function handleConnection(socket: Socket): void {
    socket.on('error', () => socket.destroy());
    const { remoteAddress = '' } = socket;
    void isFromAnyHost(users, remoteAddress).then((isKnown) => {
      if (socket.destroyed) return;
      if (isKnown && !isClosing) awaitBind(socket);
      else refuse(socket, 'the address is of no channel');
    });
  }

  function awaitBind(socket: Socket): void {
    waiting.add(socket);
    const deadline = setTimeout(() => refuse(socket, 'no login in time'), BIND_WITHIN_MS);
    socket.once('close', forget);
    if (waiting.size > MAX_WAITING) {
      const [oldest] = waiting;
      if (oldest !== undefined) refuse(oldest, 'too many connections without a Bind');
    }
    let received: Buffer = Buffer.alloc(0);
    socket.on('data', read);

    function forget(): void {
      clearTimeout(deadline);
      waiting.delete(socket);
    }

    function read(chunk: Buffer): void {
      received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
      if (received.length < 4) return;
      const length = received.readUInt32BE(0);
      if (length < HEADER_BYTES || length > MAX_BIND_BYTES) {
        refuse(socket, 'the first frame has an impossible length');
      } else if (received.length >= length) {
        socket.off('data', read);
        socket.pause();
        void handleFirst(socket, received, length).then((isTaken) => {
          if (!isTaken) return;
          socket.off('close', forget);
          forget();
        });
      }
    }
  }

  /** Whether a channel took the connection. */
  async function handleFirst(socket: Socket, received: Buffer, length: number): Promise<boolean> {
    const pdu = decodePdu(received.subarray(0, length));
    if (pdu.command !== 'bind') {
      refuse(socket, 'the first PDU is not a Bind');
      return false;
    }
    const { login_name: account, login_password: password, login_type: type } = pdu.body;
    const ofHost = await findUsersOf(users, socket.remoteAddress ?? '');
    if (socket.destroyed || isClosing) return false;
    const named = ofHost.filter((user) => user.account === account);
    const [user, ...others] = named.filter((each) => isLoginOf(each, account, password));
    const concerned = named.length > 0 ? named : ofHost;
    if (!LOGIN_TYPES.includes(type)) return refuseLogin(socket, pdu, WRONG_LOGIN_TYPE, 'wrong login type', concerned);
    if (user === undefined) {
      const reason = named.length > 0 ? 'wrong password' : 'unknown login name';
      return refuseLogin(socket, pdu, BAD_LOGIN, reason, concerned);
    }
    if (others.length > 0) return refuseLogin(socket, pdu, BAD_LOGIN, SHARED_LOGIN, concerned);
    if (!user.accept(socket)) return refuseLogin(socket, pdu, TOO_MANY_CONNECTIONS, 'too many connections', [user]);
    socket.unshift(received);
    socket.resume();
    return true;
  }

  /** The peer closes when it has read the answer; the deadline of the login ends one that does not. */
  function refuseLogin(
    socket: Socket,
    { sequence, body }: PduOf<'bind'>,
    result: number,
    reason: string,
    concerned: readonly ListenerUser[],
  ): false {
    const frame = Buffer.alloc(MAX_FRAME_BYTES);
    const end = encodePdu(frame, 0, 'bind_resp', sequence, { result, reserve: '' });
    logRefusal(socket, reason, body.login_name);
    for (const user of concerned) user.noteRefused(reason);
    socket.end(frame.subarray(0, end));
    socket.resume();
    return false;
  }

  return {
    users,
    fault: () => fault,
    close() {
      isClosing = true;
      clearTimeout(retry);
      for (const socket of waiting) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function isFromAnyHost(users: ReadonlySet<ListenerUser>, remote: string): Promise<boolean> {
  const checks = await Promise.all([...users].map((user) => user.isFromHost(remote)));
  return checks.includes(true);
}

/** The channels that this address is a gateway of. */
async function findUsersOf(users: ReadonlySet<ListenerUser>, remote: string): Promise<ListenerUser[]> {
  const found: ListenerUser[] = [];
  for (const user of [...users]) if (await user.isFromHost(remote)) found.push(user);
  // Some may have left meanwhile.
  return found.filter((user) => users.has(user));
}
