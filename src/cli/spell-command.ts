// Spells another command as the user can type it. Hints are copied, so they must work as they are: by the same way to the
// program, and with the options and the folder that lead to the same service.

import { quoteForShell } from '../service/checkout.js';
import { GLUE } from './display-width.js';
import { INSTALLED_PROGRAM } from './name-program.js';
import type { Terminal } from './terminal.js';

/** A command in a text, from its words after the program: `spell('task T1 --follow')`. */
export type SpellCommand = (words: string) => string;

/** What to do, where that may name commands. */
export type Advice = string | ((spell: SpellCommand) => string);

/** In one piece also where the prose around it is broken into lines, by which it has to go. */
export function spellCommand(terminal: Pick<Terminal, 'program' | 'env' | 'target'>, words: string): string {
  const { program, env, target } = terminal;
  const callsService = !/^profile\b|(^|\s)--(help|version)$/.test(words);
  // The line that a start prints names the folder; an installed command has its environment.
  const needsFolder = callsService && target === '' && program !== INSTALLED_PROGRAM && env.POSTRIDER_DATA_DIR;
  const folder = needsFolder ? `POSTRIDER_DATA_DIR=${quoteForShell(env.POSTRIDER_DATA_DIR ?? '')} ` : '';
  return `${folder}${program} ${words}${callsService ? target : ''}`.replaceAll(' ', GLUE);
}

/** The options of a command line that say which service it calls, and as whom. */
export function formatTarget(options: Readonly<Record<string, unknown>>): string {
  return ['profile', 'url']
    .map((name) => [name, options[name]] as const)
    .filter((option): option is [string, string] => typeof option[1] === 'string')
    .map(([name, value]) => ` --${name} ${quoteForShell(value)}`)
    .join('');
}

export function writeAdvice(terminal: Terminal, advice: Advice): string {
  return typeof advice === 'string' ? advice : advice((words) => spellCommand(terminal, words));
}
