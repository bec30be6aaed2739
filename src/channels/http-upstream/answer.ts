// Reads the outcome from an answer. Only what the configuration names is certain; everything else is unknown.

import type { Part, SubmitOutcome } from '../channel.js';
import type { HttpAnswer } from './client.js';
import type { AnswerConfig } from './config.js';
import { parseJson, readScalar } from './json.js';

/** Codes first: many upstreams answer 200 to everything and say in the body what they mean. */
export function readAnswer(part: Part, { status, body }: HttpAnswer, config: AnswerConfig): SubmitOutcome {
  const { accepted, throttled, refused } = config;
  const parsed = parseJson(body);
  const found = config.code === undefined ? undefined : readScalar(parsed, config.code);
  const code = found ?? String(status);
  if (found !== undefined && throttled.codes.includes(found)) return { part, kind: 'throttled', code };
  if (found !== undefined && refused.codes.includes(found)) return { part, kind: 'refused', code };
  if (accepted.status.includes(status) && matches(parsed, accepted.match)) {
    const messageId = config.message_id === undefined ? part.reference : readScalar(parsed, config.message_id);
    // A proxy may send a page with 200: without the promised id nothing is certain.
    if (messageId === undefined || messageId === '') return { part, kind: 'unknown', code: 'NO_MESSAGE_ID' };
    return { part, kind: 'accepted', messageId };
  }
  if (throttled.status.includes(status)) return { part, kind: 'throttled', code };
  if (refused.status.includes(status)) return { part, kind: 'refused', code };
  return { part, kind: 'unknown', code };
}

function matches(parsed: unknown, match: Readonly<Record<string, readonly string[]>>): boolean {
  return Object.entries(match).every(([pointer, values]) => {
    const found = readScalar(parsed, pointer);
    return found !== undefined && values.includes(found);
  });
}
