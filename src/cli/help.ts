import type { Command, CommandGroup, OptionSpec } from './command.js';
import { padToWidth } from './display-width.js';
import { exitCodeMeanings, exitCodes } from './exit-codes.js';
import { globalOptions } from './parse.js';
import { type Output, paint } from './terminal.js';

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

function formatOption([name, spec]: readonly [string, OptionSpec]): [string, string] {
  const short = spec.short === undefined ? '    ' : `-${spec.short}, `;
  const value = spec.type === 'boolean' ? '' : ` ${spec.choices?.join('|') ?? spec.value ?? 'VALUE'}`;
  return [`${short}--${name}${value}`, spec.summary];
}

function formatRows(rows: readonly (readonly [string, string])[]): string {
  const width = Math.min(34, Math.max(...rows.map(([left]) => left.length)));
  return rows
    .map(([left, right]) => {
      const gap = left.length > width ? `\n  ${' '.repeat(width)}` : '';
      return `  ${padToWidth(left, width, 'left')}${gap}  ${right}\n`;
    })
    .join('');
}

export function formatCommandHelp(output: Output, command: Command, below: readonly Command[]): string {
  const title = (text: string) => `\n${paint(output, 'bold', text)}\n`;
  let text = `${paint(output, 'bold', `postrider ${command.path.join(' ')}`)}: ${command.summary}\n`;
  text += `${title('Usage')}  ${formatUsage(command)}\n`;
  if (command.description !== undefined) text += `\n${command.description}\n`;
  if (command.arguments?.length) {
    text += title('Arguments') + formatRows(command.arguments.map((argument) => [argument.name, argument.summary]));
  }
  text += title('Options') + formatRows(Object.entries({ ...command.options, ...globalOptions }).map(formatOption));
  if (below.length > 0) {
    const rows = below.map((one): [string, string] => [`postrider ${formatCall(one)}`, one.summary]);
    text += title('More commands') + formatRows(rows);
  }
  if (command.examples?.length) {
    text += title('Examples');
    for (const example of command.examples) {
      text += `  ${paint(output, 'dim', `# ${example.shows}`)}\n  ${paint(output, 'cyan', example.command)}\n`;
    }
  }
  return text;
}

/** The commands below one word, for `postrider customer --help`. */
export function formatFamilyHelp(output: Output, word: string, commands: readonly Command[]): string {
  const rows = commands.map((command): [string, string] => [formatCall(command), command.summary]);
  return `${paint(output, 'bold', `postrider ${word}`)}\n\n${formatRows(rows)}\nEach has its own help: postrider ${commands[0]?.path.join(' ')} --help\n`;
}

function formatCall(command: Command): string {
  const words = (command.arguments ?? []).map((argument) => (argument.required ? argument.name : `[${argument.name}]`));
  return [...command.path, ...words].join(' ');
}

export function formatOverview(output: Output, groups: readonly CommandGroup[]): string {
  let text = `${paint(output, 'bold', 'postrider')}: send messages, follow them, reconcile what they cost, and run the service.\n`;
  text += `\n  ${paint(output, 'cyan', 'npx postrider send 13800139001 --var p1=Ann')}\n`;
  for (const group of groups) {
    text += `\n${paint(output, 'bold', group.title)}\n`;
    text += formatRows(summarizeGroup(group));
  }
  text += `\n${paint(output, 'bold', 'Exit codes')}\n${formatExitCodes()}`;
  text += '\nHelp with examples for each: postrider COMMAND --help. The version: postrider --version\n';
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

export function formatExitCodes(): string {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  return formatRows(names.map((name) => [String(exitCodes[name]), exitCodeMeanings[name]]));
}
