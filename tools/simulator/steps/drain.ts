// The end of a run: faults stop, carriers answer what is on the wire and repeat what was not acknowledged, and time passes until every
// deadline is over. Then everything must have ended.

import type { Step } from '../script.js';
import { strandedAt } from '../world/deadlines.js';
import { nameOf } from '../world/names.js';
import { partTextOf, type World } from '../world/world.js';
import { execute } from './execute.js';

const MAX_ROUNDS = 400;
const SWEEPS = ['prepare', 'start', 'end', 'refreeze', 'unknown', 'receipts', 'stranded'] as const;

export function drain(world: World): void {
  const run = (step: Step) => execute(world, step);
  for (const { id } of world.processes) run({ do: 'start', process: id });
  for (const { channelId } of world.channels) run({ do: 'channel_up', channel: Number(channelId) });
  for (const { id } of world.setup.keepsRevoked ? [] : world.customers) {
    for (const { channelId } of world.channels) {
      const usable = { customer: Number(id), channel: Number(channelId) };
      run({ do: 'grant', ...usable });
      run({ do: 'file', ...usable });
    }
  }
  for (const task of [...world.store.tasks.values()]) {
    if (task.paused === true && !world.setup.keepsPaused)
      run({ do: 'move', task: Number(task.taskId & 0xfffffn), move: 'resume' });
  }
  const isOpen = !world.setup.keepsRevoked;
  // Steps take time, so a deadline may pass during a round: only two idle rounds are the end.
  for (let round = 0, idle = 0; round < MAX_ROUNDS && idle < 2; round++) {
    if (work(world, run)) idle = 0;
    else {
      world.model.rest(world.nowMs, isOpen);
      idle = passTime(world) ? 0 : idle + 1;
    }
  }
  const unmatched = [...world.store.unmatchedReports.values()].flatMap(({ part, channelId, status }) => {
    const [task = 0, seq = 0, number = 0] = part.split('.').map(Number);
    return [{ task, seq, part: number, channel: Number(channelId), status }];
  });
  world.model.end(unmatched);
}

/** Returns whether something happened. */
function work(world: World, run: (step: Step) => boolean): boolean {
  let hasWorked = false;
  const note = (worked: boolean) => {
    hasWorked ||= worked;
  };
  for (const what of SWEEPS) note(run({ do: 'sweep', process: 1, what }));
  for (const { id } of world.customers) note(run({ do: 'leave', process: 1, customer: Number(id) }));
  for (const { id } of world.processes) {
    while (run({ do: 'finish', process: id, outcome: 'done' })) note(true);
    while (run({ do: 'commit', process: id, calls: 8, outcome: 'done' })) note(true);
  }
  for (const { channelId } of world.channels) note(serve(world, channelId, run));
  return hasWorked;
}

function serve(world: World, channelId: bigint, run: (step: Step) => boolean): boolean {
  const channel = Number(channelId);
  let hasWorked = false;
  if (world.ownerOf(channelId) === undefined)
    hasWorked = run({ do: 'own', process: 1 + (channel % world.processes.length), channel });
  const owner = world.ownerOf(channelId);
  if (owner === undefined) return hasWorked;
  const process = owner.process.id;
  run({ do: 'reload', process, channel });
  for (const what of ['load', 'rematch'] as const) run({ do: what, process, channel });
  if (run({ do: 'intend', process, channel, count: 100 })) {
    // Parts that are refused are loaded again and again: only a commit of one counts as work.
    while (run({ do: 'commit', process, calls: 8, outcome: 'done' }));
  }
  while (run({ do: 'commit', process, calls: 8, outcome: 'done' }));
  if (run({ do: 'wire', process, channel, count: 100 })) hasWorked = true;
  for (const { runtimes } of world.processes) {
    for (const { onWire } of runtimes.values()) {
      for (const { position } of [...onWire]) {
        if (run({ do: 'answer', part: partTextOf(nameOf(position)), outcome: 'accepted' })) hasWorked = true;
      }
    }
  }
  for (const parts of world.carrier.values()) {
    for (const { name, channelId: of, unacknowledged } of parts) {
      if (of !== channelId) continue;
      for (const status of [...unacknowledged]) {
        const step = { do: 'report', part: partTextOf(name), channel, status } as Step;
        if (run(step)) hasWorked = true;
      }
    }
  }
  return hasWorked;
}

/** Moves the clock to the next deadline. Returns false if there is none. */
function passTime(world: World): boolean {
  const times: number[] = [];
  const add = (time: number | null | undefined) => {
    if (time !== null && time !== undefined && time > world.nowMs) times.push(time);
  };
  for (const { submitAt, sendAt, expiresAt, completedAt } of world.store.tasks.values()) {
    if (completedAt !== null) continue;
    for (const time of [submitAt, sendAt, expiresAt]) add(time?.getTime());
  }
  for (const row of world.store.chunks.values()) {
    add(row.dueAt);
    if (row.queueNo !== null) add(strandedAt(world, row));
  }
  for (const { deadline } of world.store.unknown.values()) add(deadline);
  if (times.length === 0) return false;
  world.nowMs = Math.min(...times);
  return true;
}
