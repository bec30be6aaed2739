import { findNearSpellings } from '../domain/request/near-spellings.js';
import { version } from '../service/version.js';
import type { Command, CommandGroup } from './command.js';
import { wrapProse } from './display-width.js';
import { type ExitCode, exitCodes } from './exit-codes.js';
import { describeFailure, UsageError } from './failure.js';
import { formatCommandHelp, formatExitCodes, formatFamilyHelp, formatOverview } from './help.js';
import { findCommand, listCommands, parseInvocation } from './parse.js';
import { spellCommand } from './spell-command.js';
import { commandGroups } from './table-of-commands.js';
import { createTerminal, paint, type Terminal } from './terminal.js';

async function reportFailure(terminal: Terminal, error: unknown): Promise<ExitCode> {
  const { err, env } = terminal;
  const failure = describeFailure(error, terminal);
  let text = `${paint(err, 'red', wrapProse(failure.what, err))}\n`;
  for (const detail of failure.details) text += `  ${detail}\n`;
  if (failure.next !== undefined) text += `${wrapProse(failure.next, err)}\n`;
  if (env.POSTRIDER_DEBUG && error instanceof Error) text += `${error.stack}\n`;
  await err.write(text);
  return failure.exitCode;
}

async function explainUnknown(
  terminal: Terminal,
  commands: readonly Command[],
  words: readonly string[],
): Promise<ExitCode> {
  const [word = '', verb] = words;
  const family = commands.filter((command) => command.path[0] === word);
  if (family.length > 0) {
    const wanted = verb === undefined || verb === '--help' || verb === '-h' || verb === 'help';
    const output = wanted ? terminal.out : terminal.err;
    if (!wanted) {
      const near = suggestBelow(terminal, commands, word, verb);
      const hint = near === undefined ? '' : `${wrapProse(near, output)}\n`;
      await output.write(`${paint(output, 'red', `There is no "${verb}" for ${word}.`)}\n${hint}`);
    }
    await output.write(formatFamilyHelp(output, terminal.program, word, family));
    return wanted && verb !== undefined ? exitCodes.ok : exitCodes.usage;
  }
  const [near] = findNearSpellings(word, [...new Set(commands.map((command) => command.path[0] ?? ''))], '');
  const hint = `${near === undefined ? '' : `Did you mean "${near}"? `}See: ${spellCommand(terminal, '--help')}`;
  const { err } = terminal;
  await err.write(`${paint(err, 'red', `There is no command "${word}".`)}\n${wrapProse(hint, err)}\n`);
  return exitCodes.usage;
}

/** What may have been meant by a second word that no command has, if anything comes near. */
function suggestBelow(
  terminal: Terminal,
  commands: readonly Command[],
  word: string,
  verb: string,
): string | undefined {
  const verbs = commands.flatMap(({ path: [first, second] }) => (first === word && second !== undefined ? second : []));
  const [near] = findNearSpellings(verb, verbs, '');
  // `task list` is `tasks`.
  const plurals = verb === 'list' && !verbs.includes(verb) ? [`${word}s`, `${word}es`] : [];
  const plural = commands.find(({ path: [first = ''] }) => plurals.includes(first));
  const meant = plural?.path[0] ?? (near && `${word} ${near}`);
  return meant === undefined ? undefined : `Did you mean: ${spellCommand(terminal, meant)}`;
}

/** `task` is a command, and `task submit` a subcommand. */
function listBelow(commands: readonly Command[], { path }: Command): readonly Command[] {
  return commands.filter(
    (command) => command.path.length > path.length && path.every((word, index) => command.path[index] === word),
  );
}

/** `task sumbit T-1` would be read as the task "sumbit" and an argument too many, `task cancle` as one that is not found. */
function checkSecondWord(
  terminal: Terminal,
  commands: readonly Command[],
  command: Command,
  rest: readonly string[],
): void {
  const [verb = '', next] = rest;
  const word = command.path[0] ?? '';
  // Alone, it may be the name of a batch; numbers of tasks are not written in small letters.
  const isAlone = next === undefined || next.startsWith('-');
  const mayBeVerb = isAlone ? word === 'task' && /^[a-z]+$/.test(verb) : !verb.startsWith('-');
  const near = mayBeVerb ? suggestBelow(terminal, commands, word, verb) : undefined;
  if (near !== undefined) throw new UsageError(`There is no "${verb}" for ${word}.`, near);
}

/** Runs one command line and says how it went. Never throws. */
export async function runCommandLine(
  args: readonly string[],
  terminal: Terminal,
  groups: readonly CommandGroup[] = commandGroups,
): Promise<ExitCode> {
  const commands = listCommands(groups);
  let asCalled = terminal;
  const words = args[0] === 'help' && args.length > 1 ? [...args.slice(1), '--help'] : args;
  try {
    if (words.length === 0 || ['--help', '-h', 'help'].includes(words[0] ?? '')) {
      await terminal.out.write(formatOverview(terminal.out, terminal.program, groups));
      return words.length === 0 ? exitCodes.usage : exitCodes.ok;
    }
    if (['--version', '-V', 'version'].includes(words[0] ?? '')) {
      await terminal.out.write(`postrider ${version}\n`);
      return exitCodes.ok;
    }
    if (words[0] === 'exit-codes') {
      await terminal.out.write(formatExitCodes(terminal.out));
      return exitCodes.ok;
    }
    const found = findCommand(commands, words);
    if (found === null) return await explainUnknown(terminal, commands, words);
    checkSecondWord(terminal, commands, found.command, found.rest);
    const invocation = parseInvocation(found.command, found.rest, terminal);
    asCalled = invocation.terminal;
    if (invocation.flag('help')) {
      const below = listBelow(commands, found.command);
      await terminal.out.write(formatCommandHelp(terminal.out, terminal.program, found.command, below));
      return exitCodes.ok;
    }
    return await found.command.run(invocation);
  } catch (error) {
    return await reportFailure(asCalled, error);
  }
}

export async function main(): Promise<void> {
  // The reader closed the pipe, as in `postrider receipts --all | head`: nothing can be printed. A terminal that was closed
  // is no reason to end at once: what the command has begun may have to be undone.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EIO') process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failure);
  });
  process.stderr.on('error', () => {});
  const terminal = createTerminal(() => process.exit(exitCodes.interrupted));
  process.exitCode = await runCommandLine(process.argv.slice(2), terminal);
  // An unread standard input would keep the process alive.
  process.stdin.destroy();
}
