import type { TaskMove } from '@postrider/client';
import type { ArgumentSpec, Command, Invocation } from './command.js';
import { exitCodes } from './exit-codes.js';

interface Moved {
  /** The word of the command line: `postrider task freeze TASK`. */
  readonly noun: 'task' | 'batch';
  readonly argument: ArgumentSpec;
  /** The placeholder in an example. */
  readonly example: string;
  readonly summaries: Readonly<Record<TaskMove, string>>;
  readonly options: NonNullable<Command['options']>;
  readonly run: (invocation: Invocation, move: TaskMove) => Promise<void>;
}

/** One command for each move of a task, or of all tasks of a batch. */
export function createMoveCommands({ noun, argument, example, summaries, options, run }: Moved): Command[] {
  return (Object.keys(summaries) as TaskMove[]).map((move) => ({
    path: [noun, move],
    summary: summaries[move],
    arguments: [argument],
    options,
    examples: [{ command: `postrider ${noun} ${move} ${example}`, shows: 'harmless when repeated' }],
    async run(invocation) {
      await run(invocation, move);
      return exitCodes.ok;
    },
  }));
}
