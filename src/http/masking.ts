// Which requests come from a masked caller. Marked once, where the caller is admitted; read where answers are written.

import type { FastifyRequest } from 'fastify';
import { maskAnswer } from '../domain/access/mask.js';
import type { WantedText } from '../store/lists/wanted-text.js';

const masked = new WeakSet<FastifyRequest>();

export function markMasked(request: FastifyRequest): void {
  masked.add(request);
}

export function isMasked(request: FastifyRequest): boolean {
  return masked.has(request);
}

/** What the caller of this request may see of a value. */
export function showTo<Value>(request: FastifyRequest, value: Value): Value {
  return isMasked(request) ? maskAnswer(value) : value;
}

/** A part of a text that the caller of this request searches for. */
export function wantedBy(request: FastifyRequest, text: string): WantedText;
export function wantedBy(request: FastifyRequest, text: string | undefined): WantedText | undefined;
export function wantedBy(request: FastifyRequest, text: string | undefined): WantedText | undefined {
  return text === undefined ? undefined : { text, hidesDigits: isMasked(request) };
}
