import type { Command } from '../command.js';
import { formatBashCompletion, formatZshCompletion } from '../completion.js';
import { exitCodes } from '../exit-codes.js';
import { UsageError } from '../failure.js';

/** The table is handed in, since it contains this very command. */
export function createCompletionCommand(listCommands: () => readonly Command[]): Command {
  return {
    path: ['completion'],
    summary: 'a completion script for bash or zsh',
    description: [
      'It completes the command `postrider`, not `npx postrider`, whose words npx reads first. In a checkout, `npm link` makes',
      'that command; `npm unlink --global postrider` takes it away.',
    ].join('\n'),
    arguments: [{ name: 'SHELL', summary: 'bash or zsh', required: true }],
    examples: [
      { command: 'source <(postrider completion bash)', shows: 'in this shell; add it to ~/.bashrc for all' },
      { command: 'source <(postrider completion zsh)', shows: 'the same for zsh and ~/.zshrc' },
    ],
    async run(invocation) {
      const shell = invocation.argument(0);
      if (shell !== 'bash' && shell !== 'zsh')
        throw new UsageError(`There is no completion for "${shell}", only for bash and zsh.`);
      const format = shell === 'bash' ? formatBashCompletion : formatZshCompletion;
      await invocation.terminal.out.write(format(listCommands()));
      return exitCodes.ok;
    },
  };
}
