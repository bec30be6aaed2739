import { parseArgs } from 'node:util';
import { findNearSpellings } from '../domain/request/near-spellings.js';
import { type Command, type CommandGroup, Invocation, type OptionSpec, type OptionValue } from './command.js';
import { UsageError } from './failure.js';
import { type Advice, formatTarget, type SpellCommand } from './spell-command.js';
import type { Terminal } from './terminal.js';

/** Options that every command has. */
export const globalOptions: Readonly<Record<string, OptionSpec>> = {
  profile: { type: 'string', value: 'NAME', summary: 'use the credentials of this profile' },
  url: { type: 'string', value: 'URL', summary: 'where the service answers' },
  help: { type: 'boolean', short: 'h', summary: 'show this help' },
};

/** The options of a command as it understands them, with those that it shares with others at the end. */
export function listOptions(command: Command): Readonly<Record<string, OptionSpec>> {
  const { help } = globalOptions;
  const shared = command.readsItsOwnOptions && help !== undefined ? { help } : globalOptions;
  return { ...command.options, ...shared };
}

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

function helpHint(command: Command): (spell: SpellCommand) => string {
  return (spell) => `See: ${spell(`${command.path.join(' ')} --help`)}`;
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
  if (command.readsItsOwnOptions) {
    return new Invocation(terminal, rest, { help: rest.includes('--help') || rest.includes('-h') });
  }
  const specs = listOptions(command);
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
  const target = formatTarget(parsed.values);
  return new Invocation({ ...terminal, target }, parsed.positionals, parsed.values);
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
    const [near] = findNearSpellings(unknown, names, '');
    const suggestion = near === undefined ? '' : `Did you mean --${near}? `;
    const hint: Advice = (spell) => `${suggestion}${helpHint(command)(spell)}`;
    return new UsageError(`There is no option --${unknown}.`, hint);
  }
  // Node names the option as it was typed: '-t', '--template' or '-t, --template <value>'.
  const valueMissing = /Option '(?:-\w, )?(--?[\w-]+)(?: <value>)?' argument (?:missing|is ambiguous)/.exec(
    message,
  )?.[1];
  if (valueMissing !== undefined) return new UsageError(`${valueMissing} needs a value.`, helpHint(command));
  const valueTooMany = /Option '(?:-\w, )?(--?[\w-]+)' does not take an argument/.exec(message)?.[1];
  if (valueTooMany !== undefined) return new UsageError(`${valueTooMany} takes no value.`, helpHint(command));
  return new UsageError(message, helpHint(command));
}
