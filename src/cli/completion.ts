import type { Command } from './command.js';
import { listOptions } from './parse.js';

// Both scripts are made from the command table, so that they cannot fall behind it. They compute nothing at the time of
// completion: starting Node for each press of a key would be felt.

/** The words that may follow each beginning of a command: '' → send, task, …; 'task' → prepare, freeze, … */
function collectWords(commands: readonly Command[]): Map<string, Set<string>> {
  const words = new Map<string, Set<string>>();
  for (const { path } of commands) {
    path.forEach((word, index) => {
      const before = path.slice(0, index).join(' ');
      words.set(before, (words.get(before) ?? new Set()).add(word));
    });
  }
  return words;
}

function listOptionWords(command: Command): string[] {
  return Object.keys(listOptions(command)).map((name) => `--${name}`);
}

interface Choice {
  readonly key: string;
  readonly words: readonly string[];
}

/** Values of an option, keyed by the command and the option. */
function collectChoices(commands: readonly Command[]): Choice[] {
  return commands.flatMap((command) =>
    Object.entries(command.options ?? {}).flatMap(([name, { choices }]) =>
      choices === undefined ? [] : [{ key: `${command.path.join(' ')} --${name}`, words: choices }],
    ),
  );
}

function formatCases(commands: readonly Command[], indent: string): string {
  const words = collectWords(commands);
  const lines = commands.map((command) => {
    const path = command.path.join(' ');
    return `'${path}') offers="${[...(words.get(path) ?? []), ...listOptionWords(command)].join(' ')}" ;;`;
  });
  for (const [path, next] of words) {
    if (!commands.some((command) => command.path.join(' ') === path))
      lines.push(`'${path}') offers="${[...next].join(' ')}" ;;`);
  }
  return lines.map((line) => `${indent}${line}\n`).join('');
}

function formatChoices(commands: readonly Command[], indent: string): string {
  return collectChoices(commands)
    .map(({ key, words }) => `${indent}'${key}') choices="${words.join(' ')}" ;;\n`)
    .join('');
}

/** Both shells run the same function over the words before the cursor; only how they hand them over differs. */
function formatCommonFunction(commands: readonly Command[]): string {
  return `_postrider_words() {
  # $1: the words between "postrider" and the cursor, joined by blanks. Prints what may come next.
  local trail='' offers='' choices='' last='' word
  set -f
  for word in $1; do
    last="$word"
    case "$word" in -*) continue ;; esac
    case "\${trail:+$trail }$word" in
${[...new Set(commands.flatMap(({ path }) => path.map((_, index) => path.slice(0, index + 1).join(' '))))]
  .map((path) => `      '${path}') trail='${path}' ;;\n`)
  .join('')}    esac
  done
  set +f
  case "$trail $last" in
${formatChoices(commands, '    ')}  esac
  if [ -n "$choices" ]; then echo "$choices"; return; fi
  case "$trail" in
${formatCases(commands, '    ')}  esac
  echo "$offers"
}
`;
}

export function formatBashCompletion(commands: readonly Command[]): string {
  return `# postrider completion for bash. Load it: source <(postrider completion bash)
${formatCommonFunction(commands)}
_postrider() {
  local before="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  COMPREPLY=($(compgen -W "$(_postrider_words "$before")" -- "\${COMP_WORDS[COMP_CWORD]}"))
  # Nothing of ours fits: names of files do, as after --file.
  if [ \${#COMPREPLY[@]} -eq 0 ]; then compopt -o default 2>/dev/null; fi
}
complete -F _postrider postrider
`;
}

export function formatZshCompletion(commands: readonly Command[]): string {
  return `#compdef postrider
# postrider completion for zsh. Load it: source <(postrider completion zsh)
${formatCommonFunction(commands).replace('  local trail', '  setopt local_options sh_word_split\n  local trail')}
_postrider() {
  local -a candidates
  candidates=(\${=$(_postrider_words "\${words[2,CURRENT-1]}")})
  compadd -a candidates || _files
}
if [ "\${funcstack[1]}" = "_postrider" ]; then _postrider "$@"; else compdef _postrider postrider; fi
`;
}
