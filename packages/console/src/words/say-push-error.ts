import { type Say, sayValue } from './say.js';

/** Why a webhook was not told. The code that may follow in brackets stays as it is, and so does what is not known. */
export function sayPushError(say: Say, error: string): string {
  const seconds = /^no answer within ([\d.]+) s$/.exec(error)?.[1];
  if (seconds !== undefined) return say('webhooks.noAnswer', { time: say('duration.s', { value: seconds }) });
  const [, text = error, code = ''] = /^(.*?)( \(.*\))?$/.exec(error) ?? [];
  return `${sayValue(say, 'push', text)}${code}`;
}
