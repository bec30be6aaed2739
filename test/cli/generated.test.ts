// docs/cli.md is written from the command table: `npm run generate` writes it anew.

import { expect, test } from 'vitest';
import type { Command, OptionSpec } from '../../src/cli/command.js';
import { exitCodeMeanings, exitCodes } from '../../src/cli/exit-codes.js';
import { globalOptions } from '../../src/cli/parse.js';
import { commandGroups } from '../../src/cli/table-of-commands.js';

const introduction = `# The command line

\`npx postrider\` inside the checkout, \`node CHECKOUT/bin/postrider.mjs\` in any other folder, where \`npx\` would ask a registry for a
package of that name. \`postrider COMMAND --help\` shows what is written here.

## Who is calling
Credentials are looked for in this order:
1. \`--profile NAME\`: what \`postrider profile add\` keeps in \`~/.config/postrider/profiles.json\`, mode 0600;
2. the environment: \`POSTRIDER_API_KEY\` and \`POSTRIDER_API_SECRET\` for a customer's commands, \`POSTRIDER_OPERATOR_TOKEN\` for an
   operator's, with \`POSTRIDER_URL\`; \`POSTRIDER_TEMPLATE_NO\` is the template of \`send\` without \`--template\`;
3. \`POSTRIDER_PROFILE\`, or the profile in use;
4. the data folder of a service on this machine (\`POSTRIDER_DATA_DIR\`, else \`data\` in the checkout, whatever folder the
   command is run in): its demo customer and its operator token.

## What is printed
Tables for people; \`--json\` prints one object a line and \`--csv\` every field with a header, for machines. Results go to standard
output, progress and remarks to standard error. \`--all\` streams a list of any length. \`NO_COLOR\` turns colours off.
\`POSTRIDER_DEBUG=1\` adds the stack to an error.

## Lists as files
\`--output receipts.csv\` (or \`.ndjson\`) writes the whole of a list, oldest first. The file gets its name when it is whole; until then it
is \`receipts.csv.….part\`, and after an interruption the same command continues behind its last row. \`--append\` adds what came
since the last row of the file. Lists of the operator and of webhooks come newest first, and start over when they are interrupted.
`;

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|');
}

function formatOptions(options: Readonly<Record<string, OptionSpec>>): string {
  const rows = Object.entries(options).map(([name, spec]) => {
    const short = spec.short === undefined ? '' : `\`-${spec.short}\`, `;
    const value = spec.type === 'boolean' ? '' : ` ${spec.choices?.join('|') ?? spec.value ?? 'VALUE'}`;
    const marks = [spec.required ? 'required' : '', spec.multiple ? 'repeatable' : ''].filter((mark) => mark !== '');
    const remark = marks.length === 0 ? '' : ` (${marks.join(', ')})`;
    return `| ${short}\`--${name}${escapeCell(value)}\` | ${escapeCell(spec.summary)}${remark} |\n`;
  });
  return rows.length === 0 ? '' : `\n| option | |\n|---|---|\n${rows.join('')}`;
}

function formatCommand(command: Command): string {
  const words = (command.arguments ?? []).map((argument) => {
    const name = argument.variadic ? `${argument.name}…` : argument.name;
    return argument.required ? name : `[${name}]`;
  });
  const summary = `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`;
  const examples = (command.examples ?? []).map((example) => `# ${example.shows}\n${example.command}\n`).join('');
  return [
    `### \`${['postrider', ...command.path, ...words].join(' ')}\`\n${summary}\n`,
    command.description === undefined ? '' : `\n${command.description}\n`,
    formatOptions(command.options ?? {}),
    examples === '' ? '' : `\n\`\`\`sh\n${examples}\`\`\`\n`,
  ].join('');
}

function formatReference(): string {
  const names = Object.keys(exitCodes) as (keyof typeof exitCodes)[];
  const codes = names.map((name) => `| ${exitCodes[name]} | ${exitCodeMeanings[name]} |\n`).join('');
  const groups = commandGroups.map(
    ({ title, commands }) => `\n## ${title}\n\n${commands.map(formatCommand).join('\n')}`,
  );
  return [
    introduction,
    `\n## Exit codes\n\n| code | |\n|---|---|\n${codes}`,
    `\n## Options of every command\n${formatOptions(globalOptions)}`,
    ...groups,
  ].join('');
}

test('the reference of the command line shows the command table', async () => {
  await expect(formatReference()).toMatchFileSnapshot('../../docs/cli.md');
});
