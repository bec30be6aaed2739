// Chooses the next step: one that may apply, by weights that differ from run to run, so that some runs have many failovers and others
// none (swarm testing).

import { PART, partStateOf } from '#src/domain/chunk/chunk-state.js';
import type { Random } from '../random.js';
import type { ChannelSetup, NumberKind, Outcome, ReportStatus, Setup, Step, StepName } from '../script.js';
import { nameOf } from '../world/names.js';
import { type EventKind, kindOf, metStateOf, type Pair, RARE_PAIRS } from '../world/observe.js';
import type { OnWire } from '../world/process.js';
import { taskNameOf } from '../world/view.js';
import { partTextOf, type World } from '../world/world.js';

type Choose = (world: World, random: Random) => Step | undefined;

/** How often each step is chosen, relative to the others. */
type Weights = Readonly<Record<StepName, number>>;

const USUAL: Weights = {
  send: 4,
  move: 1,
  reschedule: 0.1,
  resolve: 0.7,
  top_up: 0.1,
  adjust: 0.03,
  limit_day: 0.03,
  bill: 0.03,
  opt_out: 0.3,
  file: 0.3,
  unfile: 0.2,
  grant: 0.5,
  revoke: 0.5,
  channel_down: 0.6,
  channel_up: 1,
  start: 3,
  crash: 0.2,
  own: 8,
  close: 0.1,
  load: 8,
  reload: 0.3,
  forget: 0.3,
  intend: 12,
  commit: 30,
  wire: 16,
  unsend: 0.7,
  reroute: 5,
  leave: 5,
  finish: 6,
  rematch: 1,
  sweep: 8,
  answer: 16,
  late_answer: 2,
  report: 8,
  wait: 0.4,
};

/** Steps without which nothing happens. */
const ALWAYS: ReadonlySet<StepName> = new Set([
  'send',
  'own',
  'load',
  'intend',
  'commit',
  'wire',
  'sweep',
  'answer',
] as const);
/** They apply at nearly every moment, and would fill every gap between the others. */
const BACKGROUND: ReadonlySet<StepName> = new Set([
  'move',
  'top_up',
  'adjust',
  'limit_day',
  'bill',
  'opt_out',
  'file',
  'unfile',
  'grant',
  'revoke',
  'channel_down',
  'channel_up',
  'crash',
  'own',
  'close',
  'forget',
  'reload',
  'wait',
] as const);
const BACKGROUND_SHARE = 0.3;
const FACTORS = [0, 0.3, 1, 1, 4, 12] as const;

export function chooseSetup(random: Random): Setup {
  const customers = Array.from({ length: random.pick([1, 1, 2]) ?? 1 }, () => ({
    chargeOn: random.chance(0.6) ? ('submit' as const) : ('delivery' as const),
    refundOnFailure: random.chance(0.6),
    balance: random.pick([4, 20, 200, 200]) ?? 200,
    credit: random.pick([0, 0, 10]) ?? 0,
    ...(random.chance(0.2) && { dailyLimit: random.pick([3, 6, 12]) ?? 6 }),
  }));
  const channels = Array.from({ length: random.pick([1, 2, 2, 2, 3, 4]) ?? 2 }, () => ({
    isWhole: random.chance(0.1),
    hasReference: random.chance(0.4),
    ...chooseHabits(random),
  }));
  const processes = random.pick([1, 2, 2]) ?? 2;
  return {
    customers,
    channels,
    processes,
    ...(random.chance(0.3) && { keepsRevoked: true as const }),
    ...(random.chance(0.3) && { keepsPaused: true as const }),
  };
}

/** Ids that are used again or spelled otherwise can be distinguished only by the number of the handset. */
function chooseHabits(random: Random): Pick<ChannelSetup, 'phones' | 'ids'> {
  const ids = random.pick([undefined, undefined, undefined, 'repeated', 'respelled'] as const);
  const phones = random.pick([undefined, undefined, 'national', ids === undefined ? 'none' : undefined] as const);
  return { ...(ids !== undefined && { ids }), ...(phones !== undefined && { phones }) };
}

/** In a run that leaves out many steps, none may apply. */
const MAX_TRIES = 100;

export interface Chooser {
  next(world: World): Step;
  /** Whether all tasks have ended, and there will be no others. */
  isOver(world: World): boolean;
}

export function createChooser(random: Random): Chooser {
  const aim = random.chance(0.6) ? random.pick(RARE_PAIRS) : undefined;
  const names = Object.keys(USUAL) as StepName[];
  const bounds: number[] = [];
  let total = 0;
  for (const name of names) {
    const factor = ALWAYS.has(name) ? 1 : (random.pick(FACTORS) ?? 1);
    total += USUAL[name] * factor * (name === 'reload' && aim?.kind === 'intended' ? 10 : 1);
    bounds.push(total);
  }
  const taste: Taste = {
    faultShare: random.pick([0, 0.05, 0.2, 0.4]) ?? 0,
    refusals: random.pick(aim === undefined ? [0, 0.1, 0.4, 0.8] : [0.1, 0.4]) ?? 0,
    lies: random.pick([0, 0.03, 0.3]) ?? 0,
    cancels: random.pick([0, 0.1, 0.1, 0.5]) ?? 0,
    maxTasks: random.pick([2, 4, 4, 10]) ?? 4,
    maxNumbers: random.pick([1, 4, 4, 12]) ?? 4,
    aim,
    slow: random.chance(0.3) ? 1 : undefined,
    nextTask: 1,
  };
  const chooseBy = choosers(taste);
  return {
    next(world) {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const at = (random.int(1_000_000) / 1_000_000) * total;
        const name = names[bounds.findIndex((bound) => at < bound)] ?? 'wait';
        if (BACKGROUND.has(name) && !random.chance(BACKGROUND_SHARE)) continue;
        const step = chooseBy[name](world, random);
        if (step !== undefined) return step;
      }
      return { do: 'wait', ms: 1000 };
    },
    isOver({ store }) {
      if (taste.nextTask <= taste.maxTasks) return false;
      for (const { completedAt } of store.tasks.values()) if (completedAt === null) return false;
      return true;
    },
  };
}

/** What a run likes to do. */
interface Taste {
  /** How often a commit fails, or its answer is lost. */
  readonly faultShare: number;
  /** How often a carrier does not accept. */
  readonly refusals: number;
  /** How often a carrier reports on what it refused. */
  readonly lies: number;
  /** How often a move is to cancel. */
  readonly cancels: number;
  readonly maxTasks: number;
  readonly maxNumbers: number;
  /** The event and the state of its number that the run tries to bring together. */
  readonly aim: Pair | undefined;
  /** A process whose commits take long, so that others take its channels over before. */
  readonly slow: number | undefined;
  nextTask: number;
}

function choosers(taste: Taste): Readonly<Record<StepName, Choose>> {
  return {
    send: (world, random) => chooseSend(world, random, taste),
    move(world, random) {
      const task = pickTask(world, random);
      const isCancel = random.chance(taste.cancels) && isInReach(world, taste.aim, random, ['stopped']);
      const others = ['prepare', 'freeze', 'submit', 'pause', 'resume', 'resume'] as const;
      const move = isCancel ? 'cancel' : random.pick(others);
      return task === undefined || move === undefined ? undefined : { do: 'move', task, move };
    },
    reschedule(world, random) {
      const task = pickTask(world, random);
      return task === undefined ? undefined : { do: 'reschedule', task, inMs: random.int(200_000) };
    },
    resolve(world, random) {
      const unknown = random.pick([...world.store.unknown.values()]);
      if (unknown === undefined) return undefined;
      const outcome = random.chance(0.5) ? 'accepted' : 'not_accepted';
      const task = taskNameOf(unknown.taskId);
      return { do: 'resolve', task, outcome, ...(random.chance(0.5) && { seq: unknown.seq }) };
    },
    top_up: (world, random) => ({
      do: 'top_up',
      customer: pickNumber(world.customers, random),
      parts: 1 + random.int(20),
    }),
    adjust: (world, random) => ({
      do: 'adjust',
      customer: pickNumber(world.customers, random),
      parts: random.int(20) - 10,
    }),
    limit_day: (world, random) => ({
      do: 'limit_day',
      customer: pickNumber(world.customers, random),
      parts: random.pick([null, 3, 8, 20]) ?? null,
    }),
    bill: (world, random) => ({
      do: 'bill',
      customer: pickNumber(world.customers, random),
      chargeOn: random.chance(0.5) ? 'submit' : 'delivery',
      refundOnFailure: random.chance(0.5),
    }),
    opt_out(world, random) {
      const task = pickTask(world, random);
      return task === undefined ? undefined : { do: 'opt_out', task, seq: 1 + random.int(taste.maxNumbers) };
    },
    file: (world, random) => chooseFiling(world, random, 'file'),
    unfile: (world, random) => chooseFiling(world, random, 'unfile'),
    grant: (world, random) => chooseGrant(world, random, 'grant'),
    revoke: (world, random) => chooseGrant(world, random, 'revoke'),
    channel_down: (world, random) => chooseChannelChange(world, random, true),
    channel_up: (world, random) => chooseChannelChange(world, random, false),
    start(world, random) {
      const process = random.pick(world.processes.filter(({ isAlive }) => !isAlive));
      return process && { do: 'start', process: process.id };
    },
    crash(world, random) {
      const process = pickProcess(world, random);
      return process === undefined ? undefined : { do: 'crash', process };
    },
    own(world, random) {
      const process = pickProcess(world, random);
      const channel = pickNumber(world.channels, random);
      // A channel with an owner changes hands less often.
      const isOwned = world.ownerOf(BigInt(channel)) !== undefined;
      const isSlow = world.ownerOf(BigInt(channel))?.process.id === taste.slow;
      const stays = isSlow || taste.aim?.state === 'unknown' ? 0.8 : 0.97;
      return process === undefined || (isOwned && random.chance(stays)) ? undefined : { do: 'own', process, channel };
    },
    close: (world, random) => onChannel(world, random, 'close'),
    load: (world, random) => onChannel(world, random, 'load', (channelId) => hasQueued(world, channelId)),
    reload: (world, random) => onChannel(world, random, 'reload'),
    forget: (world, random) => onChannel(world, random, 'forget'),
    reroute: (world, random) => onChannel(world, random, 'reroute', (channelId) => !world.channel(channelId).isUp),
    rematch: (world, random) => onChannel(world, random, 'rematch', () => world.store.unmatchedReports.size > 0),
    intend(world, random) {
      const owner = pickOwner(world, random, ({ queue }) => queue.length > 0);
      if (owner !== undefined && waitsForCopy(world, owner, taste.aim, random)) return undefined;
      return owner && { do: 'intend', ...owner, count: 1 + random.int(taste.maxNumbers) };
    },
    wire(world, random) {
      const owner = pickOwner(world, random, ({ intended }) => intended.length > 0);
      return owner && { do: 'wire', ...owner, count: 1 + random.int(3) };
    },
    unsend(world, random) {
      const owner = pickOwner(world, random, ({ intended }) => intended.length > 0);
      return owner && { do: 'unsend', ...owner, count: 1 };
    },
    commit(world, random) {
      const busy = world.processes.filter((each) => each.isAlive && (each.line.length > 0 || each.batch !== undefined));
      const process = random.pick(busy);
      if (process?.id === taste.slow && random.chance(SLOWNESS)) return undefined;
      if (process === undefined || isHeld(world, process, taste.aim, random)) return undefined;
      return { do: 'commit', process: process.id, calls: 1 + random.int(3), outcome: pickOutcome(random, taste) };
    },
    finish(world, random) {
      const process = random.pick(
        world.processes.filter(({ isAlive, pendingWrites }) => isAlive && pendingWrites.length > 0),
      );
      if (!isInReach(world, taste.aim, random, ['rerouted', 'ended'])) return undefined;
      return process && { do: 'finish', process: process.id, outcome: pickOutcome(random, taste) };
    },
    leave(world, random) {
      const process = pickProcess(world, random);
      const customer = random.pick(world.customers.filter(({ granted }) => granted.size < world.channels.length));
      return process === undefined || customer === undefined
        ? undefined
        : { do: 'leave', process, customer: Number(customer.id) };
    },
    sweep(world, random) {
      const process = pickProcess(world, random);
      const what = isPrepareDue(world) && random.chance(0.7) ? 'prepare' : random.pick(SWEEPS);
      if (random.chance(0.9) && (what === undefined || !isSweepDue(world, what))) return undefined;
      if (what === 'end' && !isInReach(world, taste.aim, random, ['ended', 'stopped'])) return undefined;
      if (what === 'stranded' && !isInReach(world, taste.aim, random, ['stranded'])) return undefined;
      return process === undefined || what === undefined ? undefined : { do: 'sweep', process, what };
    },
    answer: (world, random) => chooseAnswer(world, random, taste),
    late_answer: chooseLateAnswer,
    report: (world, random) => chooseReport(world, random, taste),
    wait: (_, random) => ({ do: 'wait', ms: random.pick([50, 1000, 60_000, 600_000, 2_000_000]) ?? 50 }),
  };
}

const SWEEPS = ['prepare', 'start', 'end', 'refreeze', 'unknown', 'receipts', 'stranded'] as const;

/** The share of tries in which a run waits for the state that it aims at. */
const PATIENCE = 0.9;
const SLOWNESS = 0.9;

/** Whether a commit waits: its event is the one that the run aims at, and its number is not in that state. */
function isHeld(
  { store }: World,
  { batch, line }: World['processes'][number],
  aim: Pair | undefined,
  random: Random,
): boolean {
  if (aim === undefined) return false;
  const aimed = (batch ?? line.slice(0, 3)).flatMap(({ events }) =>
    events.filter((event) => kindOf(event) === aim.kind),
  );
  if (aimed.length === 0) return false;
  const isMet = aimed.some(({ chunk, index }) => metStateOf(store.chunks.get(chunk.key), index) === aim.state);
  return !isMet && random.chance(PATIENCE);
}

/**
 * Whether a copy of a part that was queued before the part was sent is kept until its number is in the state that the run aims at an
 * intent for.
 */
function waitsForCopy(
  world: World,
  { process, channel }: { readonly process: number; readonly channel: number },
  aim: Pair | undefined,
  random: Random,
): boolean {
  const queue = world.runtime(process, channel)?.queue ?? [];
  if (aim?.kind !== 'intended' || queue.length === 0) return false;
  const rowOf = ({ chunk }: (typeof queue)[number]) => world.store.chunks.get(chunk.key);
  const isCopy = queue.some((position) => {
    const row = rowOf(position);
    return row !== undefined && partStateOf(row, position.index, position.part) !== PART.unsent;
  });
  const [head] = queue;
  const isMet = head !== undefined && metStateOf(rowOf(head), head.index) === aim.state;
  return isCopy && !isMet && random.chance(PATIENCE);
}

/** Whether a number is in the state that the run aims at, if the step may apply the event that it aims at. */
function isInReach({ store }: World, aim: Pair | undefined, random: Random, kinds: readonly EventKind[]): boolean {
  if (aim === undefined || !kinds.includes(aim.kind)) return true;
  for (const row of store.chunks.values()) {
    for (let index = 0; index < row.results.length; index++) if (metStateOf(row, index) === aim.state) return true;
  }
  return !random.chance(PATIENCE);
}

function isPrepareDue({ store }: World): boolean {
  return store.payloads.size > 0;
}

/** Whether it may find something. */
function isSweepDue({ store, nowMs, channels }: World, what: (typeof SWEEPS)[number]): boolean {
  switch (what) {
    case 'unknown':
      return [...store.unknown.values()].some(({ deadline }) => deadline <= nowMs);
    case 'receipts':
      return [...store.chunks.values()].some(({ dueAt }) => dueAt !== null && dueAt <= nowMs);
    case 'stranded':
      return channels.some(({ isUp }) => !isUp);
    case 'prepare':
      return store.payloads.size > 0;
    default:
      return true;
  }
}

/** Whether the owner of the channel may find a chunk that it has not loaded. */
function hasQueued(world: World, channelId: bigint): boolean {
  const places = world.ownerOf(channelId)?.runtime.places;
  for (const row of world.store.chunks.values()) {
    if (row.channelId === channelId && row.queueNo !== null && places?.has(row.queueNo) === false) return true;
  }
  return false;
}

const KINDS: readonly NumberKind[] = [1, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 'invalid', 'duplicate', 'opted_out'];

/** By the event that each becomes. */
const OUTCOMES: { readonly [kind in EventKind]?: Outcome } = {
  withdrawn: 'throttled',
  refused: 'refused',
  declined: 'declined',
  unknown: 'lost',
};

function chooseSend(world: World, random: Random, taste: Taste): Step | undefined {
  if (taste.nextTask > taste.maxTasks) return undefined;
  const isLong = taste.aim?.state === 'declined' || taste.aim?.state === 'partly sent';
  const kinds: readonly NumberKind[] = isLong ? [1, 2, 3, 3] : KINDS;
  const numbers = Array.from({ length: 1 + random.int(taste.maxNumbers) }, () => random.pick(kinds) ?? 1);
  const until = random.pick([
    'submitted',
    'submitted',
    'submitted',
    'submitted',
    'frozen',
    'prepared',
    'queued',
  ] as const);
  const sendInMs = random.chance(0.15) ? random.int(100_000) : undefined;
  const expiresInMs = random.chance(0.2) ? (sendInMs ?? 0) + 200 + random.int(500_000) : undefined;
  return {
    do: 'send',
    customer: pickNumber(world.customers, random),
    task: taste.nextTask++,
    numbers,
    until: until ?? 'submitted',
    ...(sendInMs !== undefined && { sendInMs }),
    ...(expiresInMs !== undefined && { expiresInMs }),
  };
}

function chooseAnswer(world: World, random: Random, taste: Taste): Step | undefined {
  const waiting: OnWire[] = [];
  for (const { isAlive, runtimes } of world.processes) {
    if (isAlive) for (const { onWire } of runtimes.values()) waiting.push(...onWire);
  }
  const onWire = random.pick(waiting);
  const others: readonly Outcome[] = ['refused', 'declined', 'declined', 'throttled', 'retried', 'lost_taken', 'lost'];
  const aimed = taste.aim && (OUTCOMES[taste.aim.kind] ?? (taste.aim.state === 'unknown' ? 'lost' : undefined));
  const usual = aimed !== undefined && random.chance(0.5) ? aimed : 'accepted';
  const outcome = random.chance(taste.refusals) ? (random.pick(others) ?? usual) : usual;
  if (onWire !== undefined) return { do: 'answer', part: partTextOf(nameOf(onWire.position)), outcome };
  const undecided = [...world.carrier.values()].flatMap((parts) => parts.at(-1) ?? []);
  const sent = random.pick(undecided.filter(({ isTaken }) => isTaken === undefined));
  return sent && { do: 'answer', part: partTextOf(sent.name), outcome };
}

function chooseLateAnswer(world: World, random: Random): Step | undefined {
  const sent = random.pick([...world.carrier.values()].flatMap((parts) => parts.at(-1) ?? []));
  if (sent?.isTaken === undefined || world.model.submissionOf(sent.name)?.answer !== 'lost') return undefined;
  return { do: 'late_answer', part: partTextOf(sent.name), outcome: sent.isTaken ? 'accepted' : 'refused' };
}

const STATUSES: readonly ReportStatus[] = [
  'delivered',
  'delivered',
  'delivered',
  'undelivered',
  'expired',
  'rejected',
  'intermediate',
];

/** Mostly on parts that the carrier has, or has not answered for; sometimes on one that it refused. */
function chooseReport(world: World, random: Random, { lies, aim }: Taste): Step | undefined {
  const sent = random.pick([...world.carrier.values()].flat());
  const status = STATUSES.find((each) => each === aim?.kind && random.chance(0.5)) ?? random.pick(STATUSES);
  if (sent === undefined || status === undefined || (sent.isTaken === false && !random.chance(lies))) return undefined;
  // What is over is reported on again now and then.
  const hasTask = world.task(sent.name.task)?.completedAt === null;
  if (!hasTask && random.chance(0.8)) return undefined;
  return { do: 'report', part: partTextOf(sent.name), channel: Number(sent.channelId), status };
}

function chooseFiling(world: World, random: Random, what: 'file' | 'unfile'): Step | undefined {
  const customer = random.pick(world.customers);
  const channels = world.channels.filter(({ channelId }) => customer?.unfiled.has(channelId) === (what === 'file'));
  const channel = random.pick(channels);
  if (customer === undefined || channel === undefined) return undefined;
  return { do: what, customer: Number(customer.id), channel: Number(channel.channelId) };
}

function chooseGrant(world: World, random: Random, what: 'grant' | 'revoke'): Step | undefined {
  const customer = random.pick(world.customers);
  const channels = world.channels.filter(({ channelId }) => customer?.granted.has(channelId) === (what === 'revoke'));
  const channel = random.pick(channels);
  if (customer === undefined || channel === undefined) return undefined;
  return { do: what, customer: Number(customer.id), channel: Number(channel.channelId) };
}

function chooseChannelChange(world: World, random: Random, isUp: boolean): Step | undefined {
  const channel = random.pick(world.channels.filter((each) => each.isUp === isUp));
  return channel && { do: isUp ? 'channel_down' : 'channel_up', channel: Number(channel.channelId) };
}

type OnChannel = 'close' | 'load' | 'reload' | 'forget' | 'reroute' | 'rematch';

function onChannel(
  world: World,
  random: Random,
  what: OnChannel,
  isWorthwhile: (channelId: bigint) => boolean = () => true,
): Step | undefined {
  const owner = pickOwner(world, random, ({ channelId }) => isWorthwhile(channelId));
  return owner && { do: what, ...owner };
}

function pickOwner(
  world: World,
  random: Random,
  matches: (runtime: NonNullable<ReturnType<World['runtime']>>) => boolean,
): { readonly process: number; readonly channel: number } | undefined {
  const owners: { readonly process: number; readonly channel: number }[] = [];
  for (const process of world.processes) {
    if (!process.isAlive) continue;
    for (const runtime of process.runtimes.values()) {
      if (runtime.isClosed || !matches(runtime)) continue;
      owners.push({ process: process.id, channel: Number(runtime.channelId) });
    }
  }
  return random.pick(owners);
}

function pickProcess(world: World, random: Random): number | undefined {
  return random.pick(world.processes.filter(({ isAlive }) => isAlive))?.id;
}

function pickTask(world: World, random: Random): number | undefined {
  const task = random.pick([...world.store.tasks.values()].filter(({ completedAt }) => completedAt === null));
  return task && taskNameOf(task.taskId);
}

function pickNumber(list: readonly unknown[], random: Random): number {
  return 1 + random.int(list.length);
}

function pickOutcome(random: Random, { faultShare }: Taste) {
  if (!random.chance(faultShare)) return 'done';
  return random.chance(0.6) ? 'answer_lost' : 'rolled_back';
}
