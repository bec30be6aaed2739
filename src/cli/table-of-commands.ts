import type { CommandGroup } from './command.js';
import { createCompletionCommand } from './commands/completion.js';
import { batchCommands } from './commands/customer/batch.js';
import { keyCommands } from './commands/customer/keys.js';
import { queryCommands } from './commands/customer/queries.js';
import { sendCommands } from './commands/customer/send.js';
import { sumCommands } from './commands/customer/sums.js';
import { taskCommands } from './commands/customer/task.js';
import { webhookCommands } from './commands/customer/webhooks.js';
import { customerCommands } from './commands/operator/customers.js';
import { moneyCommands } from './commands/operator/money.js';
import { operatorCommands } from './commands/operator/operators.js';
import { platformCommands } from './commands/operator/platform.js';
import { platformFiguresCommand, platformHistoryCommand } from './commands/operator/platform-figures.js';
import { priceCommands } from './commands/operator/prices.js';
import { reviewCommands, submitCommands } from './commands/operator/reviews.js';
import { ruleCommands } from './commands/operator/rules.js';
import { templateCommands } from './commands/operator/templates.js';
import { userCommands } from './commands/operator/users.js';
import { profileCommands } from './commands/profile.js';
import { demoCarrierCommands } from './commands/service/demo-carrier.js';
import { recoverCommand, recoveryCommands } from './commands/service/recovery.js';
import { serviceCommands } from './commands/service/service.js';
import { upgradeCheckCommand } from './commands/service/upgrade-check.js';

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
