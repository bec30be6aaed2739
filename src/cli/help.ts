import type { Command, CommandGroup, OptionSpec } from './command.js';
import { padToWidth, wrapProse, wrapText } from './display-width.js';
import { exitCodeMeanings, exitCodes } from './exit-codes.js';
import { listOptions } from './parse.js';
import { type Output, paint } from './terminal.js';

/** Replaces the program's name in help texts by how it is called here. A long name is given once, at the end. */
function nameIn(text: string, program: string): string {
  return isShort(program) ? text.replaceAll(/(?<![\w/-])postrider (?=[a-zA-Z-])/g, `${program} `) : text;
}

function isShort(program: string): boolean {
  return program.length <= 'npx postrider'.length;
}

function explainName(program: string): string {
  return isShort(program) ? '' : `\nHere, postrider is: ${program}\n`;
}

function formatUsage(command: Command): string {
  const words = (command.arguments ?? []).map((argument) => {
    const name = argument.variadic ? `${argument.name}…` : argument.name;
    return argument.required ? name : `[${name}]`;
  });
  const required = Object.entries(command.options ?? {})
    .filter(([, spec]) => spec.required)
    .map(([name, spec]) => `--${name} ${spec.value ?? 'VALUE'}`);
  return ['postrider', ...command.path, ...words, ...required, '[options]'].join(' ');
}

/** Choices that are longer than this are listed behind the summary, where they can be broken. */
const longestChoices = 24;

function formatOption([name, spec]: readonly [string, OptionSpec]): [string, string] {
  const short = spec.short === undefined ? '    ' : `-${spec.short}, `;
  if (spec.type === 'boolean') return [`${short}--${name}`, spec.summary];
  const choices = spec.choices?.join('|') ?? '';
  if (choices.length > longestChoices) {
    return [`${short}--${name} ${name.toUpperCase()}`, `${spec.summary}: ${spec.choices?.join(', ')}`];
  }
  return [`${short}--${name} ${choices || (spec.value ?? 'VALUE')}`, spec.summary];
}

/** Two columns; the second wraps at words. */
function formatRows(output: Output, rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(output.isTty && output.columns < 80 ? 20 : 34, Math.max(...rows.map(([left]) => left.length)));
  const room = output.isTty ? Math.max(20, output.columns - width - 4) : Number.POSITIVE_INFINITY;
  return rows
    .map(([left, right]) => {
      const gap = left.length > width ? `\n  ${' '.repeat(width)}` : '';
      const lines = wrapText(right, room).join(`\n${' '.repeat(width + 4)}`);
      return `  ${padToWidth(left, width, 'left')}${gap}  ${lines}\n`;
    })
    .join('');
}

export function formatCommandHelp(
  output: Output,
  program: string,
  command: Command,
  below: readonly Command[],
): string {
  const title = (text: string) => `\n${paint(output, 'bold', text)}\n`;
  const name = `postrider ${command.path.join(' ')}`;
  const first = wrapProse(`${name}: ${command.summary}`, output);
  let text = `${paint(output, 'bold', name)}${first.slice(name.length)}\n`;
  text += `${title('Usage')}  ${nameIn(formatUsage(command), program)}\n`;
  if (command.description !== undefined) {
    text += `\n${wrapProse(nameIn(command.description, program), output)}\n`;
  }
  if (command.arguments?.length) {
    text +=
      title('Arguments') +
      formatRows(
        output,
        command.arguments.map((argument) => [argument.name, argument.summary]),
      );
  }
  text += title('Options') + formatRows(output, Object.entries(listOptions(command)).map(formatOption));
  if (below.length > 0) {
    const rows = below.map((one): [string, string] => [nameIn(`postrider ${formatCall(one)}`, program), one.summary]);
    text += title('More commands') + formatRows(output, rows);
  }
  if (command.examples?.length) {
    text += title('Examples');
    for (const example of command.examples) {
      text += `  ${paint(output, 'dim', `# ${nameIn(example.shows, program)}`)}\n  ${paint(output, 'cyan', nameIn(example.command, program))}\n`;
    }
  }
  return text + explainName(program);
}

/** The commands below one word, for `postrider customer --help`. */
export function formatFamilyHelp(output: Output, program: string, word: string, commands: readonly Command[]): string {
  const rows = commands.map((command): [string, string] => [formatCall(command), command.summary]);
  const more = nameIn(`Each has its own help: postrider ${commands[0]?.path.join(' ')} --help`, program);
  return `${paint(output, 'bold', `postrider ${word}`)}\n\n${formatRows(output, rows)}\n${more}\n${explainName(program)}`;
}

function formatCall(command: Command): string {
  const words = (command.arguments ?? []).map((argument) => (argument.required ? argument.name : `[${argument.name}]`));
  return [...command.path, ...words].join(' ');
}

export function formatOverview(output: Output, program: string, groups: readonly CommandGroup[]): string {
  const first = wrapProse(
    'postrider: send messages, follow them, reconcile what they cost, and run the service.',
    output,
  );
  let text = `${paint(output, 'bold', 'postrider')}${first.slice('postrider'.length)}\n`;
  text += `\n  ${paint(output, 'cyan', `${program} send 13800139001 --var p1=Ann`)}\n`;
  for (const group of groups) {
    text += `\n${paint(output, 'bold', group.title)}\n`;
    text += formatRows(output, summarizeGroup(group));
  }
  text += `\n${paint(output, 'bold', 'Exit codes')}\n${formatExitCodes(output)}`;
  const more = 'Help with examples for each: postrider COMMAND --help. The version: postrider --version';
  text += `\n${wrapProse(nameIn(more, program), output)}\n${explainName(program)}`;
  return text;
}

/** One line for each first word: `customer create|update|list`. */
function summarizeGroup(group: CommandGroup): [string, string][] {
  const words = [...new Set(group.commands.map((command) => command.path[0] ?? ''))];
  return words.map((word) => {
    const family = group.commands.filter((command) => command.path[0] === word);
    const verbs = family.flatMap((command) => command.path[1] ?? []);
    const alone = family.find((command) => command.path.length === 1);
    const summary = alone?.summary ?? family[0]?.summary ?? '';
    return [word, verbs.length === 0 ? summary : `${alone === undefined ? '' : `${summary}; `}${verbs.join(', ')}`];
  });
}

export function formatExitCodes(output: Output): string {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  return formatRows(
    output,
    names.map((name) => [String(exitCodes[name]), exitCodeMeanings[name]]),
  );
}
