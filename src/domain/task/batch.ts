// The tasks that a customer sent under one name, added up.

import type { Money } from '../money/money.js';
import type { Counts, Hold, Stage } from './stages.js';
import type { MoveName } from './task-moves.js';

export interface Batch {
  readonly batchId: string;
  /** Of its first task. */
  readonly title: string | null;
  readonly tasks: number;
  /** How many more it had, which retention deleted. They are in none of the sums. */
  readonly deletedTasks: number;
  /** How many tasks are in each stage; stages that none is in are left out. */
  readonly stages: Readonly<Partial<Record<Stage, number>>>;
  /** How many tasks are paused. */
  readonly paused: number;
  /** How many tasks each move would change; those that would change none are left out. */
  readonly moves: Readonly<Partial<Record<MoveName, number>>>;
  readonly counts: Counts;
  /** Of the rejected numbers: those whose task ended before they were sent. */
  readonly cancelled: number;
  readonly hold: Hold;
  /** Of the tasks that are prepared; undefined while none is. */
  readonly price: Money | undefined;
  /** When it began. */
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** When the last of its tasks ended; null while one is under way. */
  readonly completedAt: Date | null;
}
