// What arrives on the socket and is not HTTP, or not in time, still gets a problem for an answer where one can be sent.

import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { PROBLEM_MEDIA_TYPE, Problem, renderProblem } from './problem.js';

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};

export function answerClientError(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable || hasBegunAnAnswer(socket)) {
    socket.destroy();
    return;
  }
  const problem = new Problem('invalid_request', DETAILS[error.code ?? ''] ?? 'The request is not valid HTTP.');
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
function hasBegunAnAnswer(socket: Socket): boolean {
  const answer = Reflect.get(socket, '_httpMessage') as { headersSent?: boolean } | null | undefined;
  return answer?.headersSent === true;
}
