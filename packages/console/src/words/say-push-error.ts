import { type Say, sayValue } from './say.js';

/** Why a webhook was not told. The code that may follow in brackets stays as it is, and so does what is not known. */
export function sayPushError(say: Say, error: string): string {
  const time = /^no answer within (.*)$/.exec(error)?.[1];
  if (time !== undefined) return say('webhooks.noAnswer', { time });
  const [, text = error, code = ''] = /^(.*?)( \(.*\))?$/.exec(error) ?? [];
  return `${sayValue(say, 'push', text)}${code}`;
}
