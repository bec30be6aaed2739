// `channel create --preset NAME`: the configuration of a known provider, with the secrets that the operator gives.

import { HTTP_PRESETS } from '../channels/http-upstream/presets.js';
import { UsageError } from './failure.js';
import type { BodyFields } from './request-body.js';

const names = Object.keys(HTTP_PRESETS);

export const presetOptions = {
  preset: {
    type: 'string',
    as: 'text',
    field: 'preset',
    choices: names,
    summary: 'a channel of kind http with the configuration for this provider; --config overrides its fields',
  },
  secrets: {
    type: 'boolean',
    as: 'secret',
    field: 'secrets',
    summary: 'ask for the secrets of a channel of kind http as a JSON object, or take it from standard input',
  },
} as const satisfies BodyFields;

/** The body with the preset's configuration under the given one, and the secrets in it. */
export function applyPreset({
  preset: name,
  secrets: text,
  ...body
}: Record<string, unknown>): Record<string, unknown> {
  const preset = typeof name === 'string' ? HTTP_PRESETS[name] : undefined;
  const secrets = typeof text === 'string' ? { secrets: parseSecrets(text) } : undefined;
  if (preset === undefined && secrets === undefined) return body;
  const missing = Object.entries(preset?.secrets ?? {}).filter(([secret]) => secrets?.secrets[secret] === undefined);
  if (missing.length > 0) {
    const needed = missing.map(([secret, what]) => `${secret} (${what})`).join(', ');
    throw new UsageError(
      `The preset ${name} needs the secrets ${needed}.`,
      `Give them with --secrets as JSON: {${missing.map(([secret]) => `"${secret}":"…"`).join(',')}}`,
    );
  }
  const config = { ...preset?.config, ...(body.config as object | undefined), ...secrets };
  return { ...(preset && { kind: 'http' }), ...body, config };
}

function parseSecrets(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return parsed as Record<string, unknown>;
  } catch {
    // The text is a secret: it is not repeated.
  }
  throw new UsageError('The secrets must be a JSON object of strings.', 'For example: {"api_key":"…"}');
}
