import { type Say, sayValue } from './say.js';

/** Why a webhook call failed. The code in brackets and unknown reasons stay as they are. */
export function sayPushError(say: Say, error: string): string {
  const seconds = /^no answer within ([\d.]+) s$/.exec(error)?.[1];
  if (seconds !== undefined) return say('webhooks.noAnswer', { time: say('duration.s', { value: seconds }) });
  const [, text = error, code = ''] = /^(.*?)( \(.*\))?$/.exec(error) ?? [];
  return `${sayValue(say, 'push', text)}${code}`;
}
