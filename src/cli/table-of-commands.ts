import type { CommandGroup } from './command.js';
import { batchCommands } from './commands/batch.js';
import { createCompletionCommand } from './commands/completion.js';
import { customerCommands } from './commands/customers.js';
import { demoCarrierCommands } from './commands/demo-carrier.js';
import { keyCommands } from './commands/keys.js';
import { moneyCommands } from './commands/money.js';
import { operatorCommands } from './commands/operators.js';
import { platformCommands } from './commands/platform.js';
import { platformFiguresCommand, platformHistoryCommand } from './commands/platform-figures.js';
import { priceCommands } from './commands/prices.js';
import { profileCommands } from './commands/profile.js';
import { queryCommands } from './commands/queries.js';
import { recoverCommand, recoveryCommands } from './commands/recovery.js';
import { reviewCommands, submitCommands } from './commands/reviews.js';
import { ruleCommands } from './commands/rules.js';
import { sendCommands } from './commands/send.js';
import { serviceCommands } from './commands/service.js';
import { sumCommands } from './commands/sums.js';
import { taskCommands } from './commands/task.js';
import { templateCommands } from './commands/templates.js';
import { upgradeCheckCommand } from './commands/upgrade-check.js';
import { userCommands } from './commands/users.js';
import { webhookCommands } from './commands/webhooks.js';

/** Everything that `postrider` can do. Help, parsing and completion read nothing else. */
export const commandGroups: readonly CommandGroup[] = [
  {
    title: 'Send and follow',
    commands: [...sendCommands, ...batchCommands, ...taskCommands, ...queryCommands, ...sumCommands, ...submitCommands],
  },
  { title: 'Webhooks', commands: webhookCommands },
  { title: 'API keys', commands: keyCommands },
  {
    title: 'Operate customers',
    commands: [
      ...customerCommands,
      ...templateCommands,
      ...reviewCommands,
      ...ruleCommands,
      ...priceCommands,
      ...moneyCommands,
    ],
  },
  {
    title: 'Operate the platform',
    commands: [
      platformFiguresCommand,
      platformHistoryCommand,
      ...platformCommands,
      ...recoveryCommands,
      ...operatorCommands,
      ...userCommands,
    ],
  },
  {
    title: 'Run the service',
    commands: [...serviceCommands, upgradeCheckCommand, recoverCommand, ...demoCarrierCommands],
  },
  {
    title: 'This command',
    commands: [...profileCommands, createCompletionCommand(() => commandGroups.flatMap((group) => group.commands))],
  },
];
