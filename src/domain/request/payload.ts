// The numbers, variables and text of an accepted request, as they wait in the task row to be prepared.

import type { Variables } from '../message/template.js';
import { type Steps, stringifyInPieces } from '../steps.js';
import type { SendRequest } from './send-request.js';

export interface Payload {
  readonly phones: readonly string[];
  /** Of every phone, or of each at the same position. */
  readonly variables: Variables | readonly Variables[];
  /** The template's text at the moment of acceptance, when its variables were checked; a later edit does not reach back. */
  readonly body: string;
}

export function payloadOf(request: SendRequest, body: string): Payload {
  return { phones: request.phones, variables: request.recipientVariables ?? request.variables, body };
}

/** What waits to be prepared, and what stays of it afterwards: the same without the numbers. */
export interface EncodedPayload {
  readonly payload: string;
  readonly content: string;
}

export function* encodePayloadInSteps({ phones, variables, body }: Payload): Steps<EncodedPayload> {
  let values = '';
  if (isEach(variables)) {
    for (const piece of stringifyInPieces(variables, (each) => each)) {
      values += piece;
      yield;
    }
  } else values = JSON.stringify(variables);
  const content = `"variables":${values},"body":${JSON.stringify(body)}}`;
  return { payload: `{"phones":${JSON.stringify(phones)},${content}`, content: `{${content}` };
}

export function decodePayload(text: string): Payload {
  return JSON.parse(text);
}

/**
 * The numbers at their positions, as far as they can be read: a task whose payload is damaged cannot be prepared, and is
 * ended all the same.
 */
export function readPhones(text: string): readonly (string | undefined)[] {
  const phones = readField(text, 'phones');
  return Array.isArray(phones) ? phones.map((phone) => (typeof phone === 'string' ? phone : undefined)) : [];
}

function readField(text: string, name: string): unknown {
  try {
    return (JSON.parse(text) as Record<string, unknown> | null)?.[name];
  } catch {
    return undefined;
  }
}

export function variablesOf(payload: Payload, index: number): Variables {
  return isEach(payload.variables) ? (payload.variables[index] ?? {}) : payload.variables;
}

export function isEach(variables: Payload['variables']): variables is readonly Variables[] {
  return Array.isArray(variables);
}
