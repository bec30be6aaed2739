// Carries out one step of a script. Returns false for a step that does not apply: it is skipped.

import type { Step } from '../script.js';
import { expireReceipts, giveUpStranded, giveUpUnknown } from '../world/deadlines.js';
import { leave, reroute } from '../world/moving.js';
import { endProcess, type Process } from '../world/process.js';
import { attempt } from '../world/recording.js';
import { findSubmitted, receiveReport, rematch } from '../world/reports.js';
import { answer, answerLate, closeRuntime, intend, load, own, reload, unsend, wire } from '../world/sending.js';
import {
  bill,
  endExpired,
  limitDay,
  move,
  optOut,
  post,
  prepareWaiting,
  refreeze,
  reschedule,
  resolve,
  send,
  startDue,
} from '../world/tasks.js';
import type { SimulatedCustomer, World } from '../world/world.js';

export function execute(world: World, step: Step): boolean {
  world.tick();
  switch (step.do) {
    case 'send':
      return send(world, step);
    case 'move':
      return move(world, step.task, step.move);
    case 'reschedule':
      return reschedule(world, step.task, step.inMs);
    case 'resolve':
      return resolve(world, step.task, step.outcome, step.seq);
    case 'top_up':
      return post(world, 'topup', step.customer, step.parts);
    case 'adjust':
      return post(world, 'adjustment', step.customer, step.parts);
    case 'limit_day':
      return limitDay(world, step.customer, step.parts);
    case 'bill':
      return bill(world, step);
    case 'opt_out':
      return optOut(world, step.task, step.seq);
    case 'file':
    case 'unfile':
      return changeFiling(world, step);
    case 'grant':
    case 'revoke':
      return changeGrant(world, step);
    case 'channel_down':
    case 'channel_up':
      return changeChannel(world, step);
    case 'wait':
      world.nowMs += step.ms;
      return true;
    case 'answer':
      return answer(world, step.part, step.outcome);
    case 'late_answer':
      return answerAfterLoss(world, step);
    case 'report':
      return report(world, step);
    case 'start':
      return start(world, step.process);
    default:
      return executeIn(world, step);
  }
}

type ProcessStep = Exclude<Extract<Step, { readonly process: number }>, { readonly do: 'start' }>;

/** Steps of a living process. */
function executeIn(world: World, step: ProcessStep): boolean {
  const process = world.process(step.process);
  if (process === undefined) return false;
  switch (step.do) {
    case 'crash':
      endProcess(process);
      return true;
    case 'commit':
      return attempt(world, process, step.calls, step.outcome);
    case 'finish':
      return finish(process, step.outcome);
    case 'sweep':
      return sweep(world, process, step.what);
    case 'leave': {
      const customer = world.customer(step.customer);
      return customer !== undefined && leave(world, process, customer);
    }
    case 'own':
      if (world.channels[step.channel - 1] === undefined) return false;
      own(world, process, BigInt(step.channel));
      return true;
    default:
      return executeOn(world, process, step);
  }
}

type ChannelStep = Exclude<Extract<ProcessStep, { readonly channel: number }>, { readonly do: 'own' }>;

/** Steps of the owner of a channel. */
function executeOn(world: World, process: Process, step: ChannelStep): boolean {
  const runtime = world.runtime(step.process, step.channel);
  if (runtime === undefined) return false;
  if (step.do === 'close') {
    closeRuntime(runtime);
    return true;
  }
  if (step.do === 'forget') {
    // What is not recorded yet is the newest, and memory forgets the oldest.
    for (const [messageId, { state }] of runtime.memory) {
      if (state !== 'answered') runtime.memory.delete(messageId);
    }
    return true;
  }
  if (!runtime.isReady) return false;
  const { isUp } = world.channel(runtime.channelId);
  switch (step.do) {
    case 'load':
      return isUp && load(world, runtime);
    case 'reload':
      reload(runtime);
      return true;
    case 'intend':
      return isUp && intend(world, process, runtime, step.count);
    case 'wire':
      return wire(world, process, runtime, step.count);
    case 'unsend': {
      const positions = runtime.intended.splice(0, step.count);
      for (const position of positions) unsend(world, process, runtime, position);
      return positions.length > 0;
    }
    case 'reroute':
      return reroute(world, process, runtime);
    case 'rematch':
      return rematch(world, process, runtime);
  }
}

function start(world: World, id: number): boolean {
  const process = world.processes[id - 1];
  if (process === undefined || process.isAlive) return false;
  process.isAlive = true;
  return true;
}

/** Writes what was read before. After an unknown commit it is written again. */
function finish(process: Process, outcome: Extract<Step, { readonly do: 'finish' }>['outcome']): boolean {
  const [write] = process.pendingWrites;
  if (write === undefined) return false;
  if (outcome !== 'rolled_back') write.run();
  if (outcome !== 'answer_lost') process.pendingWrites.shift();
  return true;
}

function sweep(world: World, process: Process, what: Extract<Step, { readonly do: 'sweep' }>['what']): boolean {
  switch (what) {
    case 'prepare':
      return prepareWaiting(world);
    case 'start':
      return startDue(world);
    case 'end':
      return endExpired(world);
    case 'refreeze':
      return refreeze(world);
    case 'unknown':
      return giveUpUnknown(world, process);
    case 'receipts':
      return expireReceipts(world, process);
    case 'stranded':
      return giveUpStranded(world);
  }
}

type GrantStep = Extract<Step, { readonly customer: number; readonly channel: number }>;

function changeGrant(world: World, { do: what, customer, channel }: GrantStep): boolean {
  const changed = world.customer(customer);
  const channelId = BigInt(channel);
  if (changed === undefined || changed.granted.has(channelId) === (what === 'grant')) return false;
  const { granted, revokedAt } = changed;
  if (what === 'grant') {
    granted.add(channelId);
    revokedAt.delete(channelId);
  } else {
    granted.delete(channelId);
    revokedAt.set(channelId, world.nowMs);
  }
  tellUsable(world, changed);
  return true;
}

function changeFiling(world: World, { do: what, customer, channel }: GrantStep): boolean {
  const changed = world.customer(customer);
  const channelId = BigInt(channel);
  if (changed === undefined || changed.unfiled.has(channelId) === (what === 'unfile')) return false;
  if (world.channels[channel - 1] === undefined) return false;
  if (what === 'unfile') changed.unfiled.add(channelId);
  else changed.unfiled.delete(channelId);
  tellUsable(world, changed);
  return true;
}

function tellUsable(world: World, { id }: SimulatedCustomer): void {
  world.model.grant(
    Number(id),
    world.usableChannels(id).map(({ channelId }) => Number(channelId)),
  );
}

function changeChannel(world: World, step: Extract<Step, { do: 'channel_down' | 'channel_up' }>): boolean {
  const channel = world.channels[step.channel - 1];
  const isUp = step.do === 'channel_up';
  if (channel === undefined || channel.isUp === isUp) return false;
  channel.isUp = isUp;
  channel.downSince = world.nowMs;
  return true;
}

function answerAfterLoss(world: World, { part, outcome }: Extract<Step, { do: 'late_answer' }>): boolean {
  const sent = world.carrier.get(part)?.at(-1);
  if (sent === undefined || sent.isTaken === undefined) return false;
  const owner = world.ownerOf(sent.channelId);
  if (owner === undefined || !owner.runtime.isReady) return false;
  const position = findSubmitted(world, owner.runtime, sent);
  if (position === undefined || sent.isTaken !== (outcome === 'accepted')) return false;
  const submission = world.model.submissionOf(sent.name);
  if (submission?.answer !== 'lost') return false;
  world.model.answerLate(sent.name, outcome, outcome === 'refused' ? '8' : undefined);
  const onRecorded = () => world.model.answeredLate(sent.name);
  answerLate(owner.process, owner.runtime, position, outcome, sent.messageId, onRecorded);
  return true;
}

function report(world: World, { part, channel, status }: Extract<Step, { do: 'report' }>): boolean {
  const sent = world.carrier.get(part)?.findLast(({ channelId }) => channelId === BigInt(channel));
  if (sent === undefined) return false;
  const owner = world.ownerOf(sent.channelId);
  if (owner === undefined || !owner.runtime.isReady) return false;
  // It may overtake the answer. Only by our reference a report on a part that was refused cannot be about another.
  sent.isTaken ??= true;
  if (!sent.isTaken && !world.channel(sent.channelId).hasReference) return false;
  receiveReport(world, owner.process, owner.runtime, sent, status);
  return true;
}
