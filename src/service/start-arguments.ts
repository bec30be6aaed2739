// `npm start -- --port 9000`: the few settings that people change at a first start, as arguments.

import { findNearSpellings } from '../domain/request/near-spellings.js';
import { ConfigError } from './config.js';

const variables: Readonly<Record<string, string>> = {
  port: 'POSTRIDER_PORT',
  host: 'POSTRIDER_HOST',
  'data-dir': 'POSTRIDER_DATA_DIR',
  processes: 'POSTRIDER_PROCESSES',
};

export const startUsage = `npm start, npm start -- [options], or npx postrider serve [options]

  --port PORT      where to listen (8080); 0 for any free port
  --host HOST      which address to listen on (127.0.0.1)
  --data-dir PATH  where the embedded database and generated secrets are kept
  --processes N    how many processes share the work (1); auto for one a processor core

Everything else is set by the environment: docs/configuration.md
`;

/** What the arguments say, as variables of the environment, over which they win. */
export function readStartArguments(words: readonly string[]): Record<string, string> {
  const settings: Record<string, string> = {};
  const problems: string[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const [, name, attached] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const variable = name === undefined ? undefined : variables[name];
    if (variable === undefined) {
      problems.push(explainUnknown(word, name));
      continue;
    }
    const next = words[index + 1];
    const value = attached ?? (next === undefined || next.startsWith('--') ? undefined : next);
    if (attached === undefined && value !== undefined) index += 1;
    if (value === undefined || value === '') problems.push(`--${name} needs a value.`);
    else settings[variable] = value;
  }
  if (problems.length > 0) throw new ConfigError(problems, 'command line');
  return settings;
}

function explainUnknown(word: string, name: string | undefined): string {
  // npm keeps for itself what comes before "--", and hands on the value alone.
  if (name === undefined)
    return `"${word}" means nothing here. npm passes options on after "--": npm start -- --port 9000`;
  const near = findNearSpellings(name, Object.keys(variables), '').map((known) => `--${known}`);
  return `There is no option --${name}; ${near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'there are --port, --host, --data-dir and --processes.'}`;
}
