import { parseArgs } from 'node:util';
import { type Command, type CommandGroup, Invocation, type OptionSpec, type OptionValue } from './command.js';
import { UsageError } from './failure.js';
import type { Terminal } from './terminal.js';

/** Options that every command has. */
export const globalOptions: Readonly<Record<string, OptionSpec>> = {
  profile: { type: 'string', value: 'NAME', summary: 'use the credentials of this profile' },
  url: { type: 'string', value: 'URL', summary: 'where the service answers' },
  help: { type: 'boolean', short: 'h', summary: 'show this help' },
};

export function listCommands(groups: readonly CommandGroup[]): readonly Command[] {
  return groups.flatMap((group) => group.commands);
}

export interface FoundCommand {
  readonly command: Command;
  readonly rest: readonly string[];
}

/** The command with the longest path that the words begin with: `task submit X` before `task X`. */
export function findCommand(commands: readonly Command[], words: readonly string[]): FoundCommand | null {
  const matches = commands.filter((command) => command.path.every((word, index) => words[index] === word));
  matches.sort((one, other) => other.path.length - one.path.length);
  const command = matches[0];
  return command === undefined ? null : { command, rest: words.slice(command.path.length) };
}

/** How many letters have to change to make one word of the other; small words, so the plain table will do. */
function measureDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.min(3, Math.ceil(word.length / 2) + 1);
  for (const candidate of candidates) {
    const distance = measureDistance(word, candidate);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

function helpHint(command: Command): string {
  return `See: postrider ${command.path.join(' ')} --help`;
}

function checkArguments(command: Command, positionals: readonly string[]): void {
  const specs = command.arguments ?? [];
  const missing = specs.find((spec, index) => spec.required && positionals[index] === undefined);
  if (missing !== undefined) throw new UsageError(`${missing.name} is missing: ${missing.summary}.`, helpHint(command));
  const extra = specs.some((spec) => spec.variadic) ? undefined : positionals[specs.length];
  if (extra !== undefined) throw new UsageError(`"${extra}" is one argument too many.`, helpHint(command));
}

function checkOptions(command: Command, values: Readonly<Record<string, OptionValue>>): void {
  for (const [name, spec] of Object.entries(command.options ?? {})) {
    const value = values[name];
    if (spec.required && value === undefined) {
      throw new UsageError(`--${name} is required: ${spec.summary}.`, helpHint(command));
    }
    if (spec.choices === undefined || value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!spec.choices.includes(String(one))) {
        throw new UsageError(`--${name} takes ${spec.choices.join(', ')}, not "${one}".`, helpHint(command));
      }
    }
  }
}

export function parseInvocation(command: Command, rest: readonly string[], terminal: Terminal): Invocation {
  const specs = { ...globalOptions, ...command.options };
  const options = Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      { type: spec.type, multiple: spec.multiple ?? false, ...(spec.short === undefined ? {} : { short: spec.short }) },
    ]),
  );
  const args = protectNegativeNumbers(rest);
  let parsed: { values: Record<string, OptionValue>; positionals: string[] };
  try {
    parsed = parseArgs({ args, options, allowPositionals: true, allowNegative: true });
  } catch (error) {
    throw explainParseError(error, command, Object.keys(specs));
  }
  if (parsed.values.help !== true) {
    checkArguments(command, parsed.positionals);
    checkOptions(command, parsed.values);
  }
  return new Invocation(terminal, parsed.positionals, parsed.values);
}

/** An adjustment of -5.00 looks like an option; a word that is a number is an argument. */
function protectNegativeNumbers(words: readonly string[]): string[] {
  const at = words.findIndex((word) => /^-\d/.test(word));
  if (at === -1 || words.includes('--')) return [...words];
  return [...words.slice(0, at), ...words.slice(at + 1), '--', ...words.slice(at, at + 1)];
}

function explainParseError(error: unknown, command: Command, names: readonly string[]): UsageError {
  const message = error instanceof Error ? error.message : String(error);
  const unknown = /Unknown option '--?([^'\s]+)'/.exec(message)?.[1];
  if (unknown !== undefined) {
    const near = suggest(unknown, names);
    const hint = near === undefined ? helpHint(command) : `Did you mean --${near}? ${helpHint(command)}`;
    return new UsageError(`There is no option --${unknown}.`, hint);
  }
  const valueMissing = /Option '(?:-\w, )?--([\w-]+) <value>' argument missing/.exec(message)?.[1];
  if (valueMissing !== undefined) return new UsageError(`--${valueMissing} needs a value.`, helpHint(command));
  return new UsageError(message, helpHint(command));
}
