// Answers a problem, if possible, to input on the socket that is not HTTP, or late.

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorText, errorText } from '../domain/fault/error-text.js';
import { PROBLEM_MEDIA_TYPE, Problem, renderProblem } from './problem/problem.js';

const DETAILS: Readonly<Record<string, ErrorText>> = {
  HPE_HEADER_OVERFLOW: errorText('headers_too_large'),
  ERR_HTTP_REQUEST_TIMEOUT: errorText('request_too_slow'),
};

/**
 * A blocked loop sees false timeouts: it checks for late clients before it has read what they sent. So a connection without a request is
 * checked once more after the loop had time to read it.
 */
const SECOND_LOOK_MS = 250;

export function answerClientError(error: ClientError, socket: Socket, requestId: string): void {
  if (error.code !== 'ERR_HTTP_REQUEST_TIMEOUT' || answerOn(socket) !== undefined) {
    refuse(error, socket, requestId);
    return;
  }
  const { bytesWritten } = socket;
  setTimeout(() => {
    if (answerOn(socket) === undefined && socket.bytesWritten === bytesWritten) refuse(error, socket, requestId);
  }, SECOND_LOOK_MS);
}

type ClientError = Error & { code?: string };

function refuse(error: ClientError, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable || answerOn(socket)?.headersSent === true) {
    socket.destroy();
    return;
  }
  const problem = new Problem('invalid_request', DETAILS[error.code ?? ''] ?? errorText('not_http'));
  const body = JSON.stringify(renderProblem(problem, requestId));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy());
}

/** Node keeps the answer under way here and offers no other way to ask: a second one must not be mixed into it. */
function answerOn(socket: Socket): { readonly headersSent?: boolean } | undefined {
  return Reflect.get(socket, '_httpMessage') ?? undefined;
}
