// One campaign: a world, customers at work in it, a nemesis, and in the end the rules.

import { setMaxListeners } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CentreKind } from '../support/spawned.js';
import { createDice } from './dice.js';
import { countGot, describeShare, judgeEnough } from './enough.js';
import { gather, gatherRunning } from './evidence.js';
import { type History, openHistory } from './history.js';
import type { SentRequest } from './load/action.js';
import { runLoad } from './load/load.js';
import { resumeAll } from './load/moving.js';
import { restoreGrants } from './load/revoking.js';
import { liftWindows } from './load/ruled.js';
import { reviveWebhooks } from './load/webhooks.js';
import { runNemesis } from './nemesis/nemesis.js';
import { awaitRest, findUnready } from './quiescence.js';
import { FINAL_RULES, judge, RUNNING_RULES, type Violation } from './rules/rules.js';
import { createWorld, type World } from './world.js';

export interface CampaignOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** Only these faults, where not all. */
  readonly faults?: readonly string[];
  /** Of the two carriers; the seed chooses where nothing is said. */
  readonly kinds?: readonly CentreKind[];
  /** A copy of the build to run. */
  readonly root?: string;
  /** How long nothing may happen before what is not at rest counts as stuck. */
  readonly stuckMs?: number;
}

export interface CampaignReport {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly historyFile: string;
  /** Until the first violation was found, or until the end. */
  readonly tookMs: number;
  readonly figures: string;
  readonly skipped: readonly string[];
  /** The log of the processes, to look for the cause. */
  readonly logs: string;
}

const LOOK_MS = 3000;
const SERVED_LOOK_MS = 250;
/** Time in which no node serves the API does not count, up to this many times the duration. */
const MAX_STRETCH = 2;

export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { seed, durationMs } = options;
  const name = `postrider-faults-${seed}-${process.pid}-${Date.now()}`;
  const historyFile = join(tmpdir(), 'postrider-faults', `${name}.jsonl`);
  const history = openHistory(historyFile, { ...options, startedAt: new Date().toISOString() });
  const dice = createDice(seed);
  const { root, kinds } = options;
  const chosen = { ...(root !== undefined && { root }), ...(kinds !== undefined && { kinds }) };
  const world = await createWorld({ seed, dice, history, folder: join(tmpdir(), name), ...chosen });
  const startedAt = performance.now();
  try {
    const sent: SentRequest[] = [];
    const early = await runUnderFaults(world, history, options, sent);
    const violations =
      early.length > 0
        ? early
        : [
            ...(await judgeAtRest(world, history, sent, options.stuckMs)),
            ...judgeEnough(countGot(history), durationMs),
          ];
    return {
      seed,
      violations,
      historyFile,
      tookMs: Math.round(performance.now() - startedAt),
      figures: `${world.centres.map(({ carrier }) => carrier.kind).join(' and ')}, ${describe(history, sent, world.receiver.arrivals.length, durationMs)}`,
      skipped: world.database.whyNoFullDisk === undefined ? [] : [`fill-disk: ${world.database.whyNoFullDisk}`],
      logs: world.nodes.map((node) => `${node.name} (${node.roles})\n${node.log()}`).join('\n\n'),
    };
  } finally {
    await world.close();
  }
}

/** Load and harm until a node has served for the time given, or until a rule that must always hold is broken. */
async function runUnderFaults(
  world: World,
  history: History,
  { seed, durationMs, faults }: CampaignOptions,
  sent: SentRequest[],
): Promise<Violation[]> {
  const dice = createDice(seed);
  const over = new AbortController();
  const { signal } = over;
  // Every actor, probe and hand of the nemesis waits on it.
  setMaxListeners(0, signal);
  const { nodes, customers, crowd, ruled } = world;
  const load = runLoad({ seed, dice: dice.forActor('load'), history, nodes, customers, crowd, ruled, sent, signal });
  const only = faults === undefined ? {} : { only: faults };
  const nemesis = runNemesis({ world, history, dice: dice.forActor('nemesis'), signal, ...only });
  const deadline = performance.now() + MAX_STRETCH * durationMs;
  const isServed = () => nodes.some((node) => node.roles.includes('api') && node.isAwake());
  let servedMs = 0;
  let judgedMs = 0;
  let violations: Violation[] = [];
  while (violations.length === 0 && servedMs < durationMs && performance.now() < deadline) {
    const before = performance.now();
    await sleep(SERVED_LOOK_MS);
    if (isServed()) servedMs += performance.now() - before;
    if (servedMs - judgedMs < LOOK_MS && servedMs < durationMs) continue;
    judgedMs = servedMs;
    violations = await judgeRunning(world, history, sent);
  }
  over.abort();
  await Promise.all([load, nemesis]);
  return violations;
}

/** The checker is struck like everybody else; then it looks again later. */
async function judgeRunning(world: World, history: History, sent: readonly SentRequest[]): Promise<Violation[]> {
  const evidence = await gatherRunning(world, history, sent).catch(() => undefined);
  return evidence === undefined ? [] : judge(RUNNING_RULES, evidence);
}

async function judgeAtRest(
  world: World,
  history: History,
  sent: readonly SentRequest[],
  stuckMs?: number,
): Promise<Violation[]> {
  const url = world.nodes.find(({ roles }) => roles.includes('api'))?.url() ?? '';
  // A build with a bug in it may not even list its tasks; the rules will tell.
  await resumeAll(url, world.customers).catch(() => undefined);
  await liftWindows(url, world.ruled, history);
  await restoreGrants(url, world.customers);
  world.receiver.behave();
  await reviveWebhooks(url, world.customers).catch(() => undefined);
  const unrest = await awaitRest(world, stuckMs);
  const unready = await findUnready(world, history);
  const evidence = await gather(world, history, sent, { unrest, unready });
  return [...judge(RUNNING_RULES, evidence), ...judge(FINAL_RULES, evidence)];
}

function describe(history: History, sent: readonly SentRequest[], told: number, durationMs: number): string {
  const numbers = sent.reduce((sum, { request }) => sum + request.phones.length, 0);
  const got = countGot(history);
  const refused = history.calls().filter(({ status }) => status === 503).length;
  const faults = history.faults().length;
  const ones = history.calls('send-one').length;
  const ruled = history.calls('send-ruled').length;
  const answers = `${got.accepted} tasks accepted, ${describeShare(got)}, ${refused} of them with 503`;
  return `${durationMs / 1000} s, ${faults} faults, ${sent.length} sends of ${numbers} numbers, ${ones} of one, ${ruled} under rules; ${answers}; ${told} messages pushed`;
}

/** Everything that is needed to look into a failure, or to see it again. */
export function explain(report: CampaignReport): string {
  const [first] = report.violations;
  const again = `npm run faults -- --seed ${report.seed}`;
  return [
    `seed ${report.seed}: ${report.figures}`,
    ...report.skipped.map((skipped) => `skipped: ${skipped}`),
    ...(first === undefined
      ? []
      : [
          `BROKEN: ${first.rule}`,
          `  ${first.detail}`,
          ...report.violations.slice(1).map(({ rule, detail }) => `also: ${rule}: ${detail.slice(0, 300)}`),
          `history: ${report.historyFile}`,
          `again: ${again}`,
        ]),
  ].join('\n');
}
