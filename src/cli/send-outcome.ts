import type { PostriderClient, Task } from '@postrider/client';
import type { AcceptedTasks } from './accepted-tasks.js';
import { addCounts } from './send-summary.js';
import { paint, type Terminal } from './terminal.js';

/** What the line of counts does not say by itself: why it stands where it stands, and what comes next. */
export async function explainOutcome(terminal: Terminal, accepted: AcceptedTasks, repeatHint: string): Promise<void> {
  const { err } = terminal;
  const tasks = accepted.list();
  const say = (text: string) => err.write(`${paint(err, 'yellow', text)}\n`);
  if (terminal.signal.aborted) {
    await say(`Interrupted. What was accepted goes on by itself. ${repeatHint}`);
  }
  if (accepted.replayed > 0) {
    const which = accepted.replayed === tasks.length ? 'All of it' : `${accepted.replayed} of ${tasks.length} requests`;
    await say(`${which} had been accepted before; nothing was created for it. --again sends a file as a new message.`);
  }
  if (tasks.some((task) => task.accounting_state === 'insufficient_funds')) {
    await say('The balance does not cover it. After a top-up (postrider topup CUSTOMER AMOUNT) it goes on by itself.');
  }
  const unknown = tasks.find((task) => task.stage === 'submit_unknown');
  if (unknown !== undefined) await say(explainUnknown(unknown, accepted.verificationDeadline));
}

function explainUnknown({ task_no }: Task, deadline: string | null): string {
  const until = deadline === null ? 'At its deadline' : `At ${deadline.slice(0, 19).replace('T', ' ')} UTC`;
  return [
    'For some numbers it is not known whether the upstream accepted them. They are never sent again by themselves.',
    `${until} they count as not accepted and their money is released, unless a late report or the operator settles it before:`,
    `  postrider task resolve ${task_no} --outcome accepted|not_accepted`,
    'What it means: docs/guides/submit-unknown.md',
  ].join('\n');
}

/** More receipts than this are not fetched only to count them. */
const receiptsCountedUpTo = 2_000;
const badResults = ['rejected', 'undelivered', 'expired'] as const;

/** Why numbers were not delivered, as a count for each code, where there are too many receipts to show. */
export async function explainBadResults(
  terminal: Terminal,
  client: PostriderClient,
  tasks: readonly Task[],
): Promise<void> {
  const counts = addCounts(tasks);
  for (const result of badResults) {
    const affected = tasks.filter((task) => task.counts[result] > 0);
    const [first] = affected;
    if (first === undefined) continue;
    const byCode = new Map<string, number>();
    let counted = 0;
    for (const { task_no: taskNo } of affected) {
      if (counted >= receiptsCountedUpTo) break;
      for await (const receipt of client.receipts({ taskNo, result, pageSize: 100, signal: terminal.signal })) {
        const code = receipt.code ?? 'no code';
        byCode.set(code, (byCode.get(code) ?? 0) + 1);
        counted += 1;
        if (counted >= receiptsCountedUpTo) break;
      }
    }
    const total = counts[result];
    const sorted = [...byCode].sort(([, one], [, other]) => other - one);
    const codes =
      sorted.length === 1 && counted === total
        ? sorted[0]?.[0]
        : sorted.map(([code, count]) => `${count.toLocaleString('en')} ${code}`).join(', ');
    const share = counted < total ? ` (of the ${counted.toLocaleString('en')} looked at)` : '';
    await terminal.err.write(
      `${total.toLocaleString('en')} ${result}: ${codes}${share}. See: postrider receipts --task ${first.task_no} --result ${result}\n`,
    );
  }
}
