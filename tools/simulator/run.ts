// One run: a script is written by chance while it is carried out, or carried out as it was written down.

import type { Coverage } from './coverage.js';
import { BrokenPromiseError } from './model/promise.js';
import { createRandom } from './random.js';
import type { Script, Step } from './script.js';
import { chooseSetup, createChooser } from './steps/choose.js';
import { drain } from './steps/drain.js';
import { execute } from './steps/execute.js';
import { World } from './world/world.js';

export interface Failure {
  /** The broken promise, or `error` if the code threw. */
  readonly promise: string;
  readonly message: string;
}

export interface Run {
  readonly script: Script;
  readonly failure: Failure | undefined;
  readonly steps: number;
  readonly events: number;
  readonly commits: number;
}

const MAX_STEPS = 250;
const MAX_IDLE_STEPS = 10;

/** The run of a seed: the same on every machine. */
export function runSeed(seed: number, coverage: Coverage): Run {
  const random = createRandom(seed);
  const setup = chooseSetup(random);
  const chooser = createChooser(random);
  const length = 20 + random.int(MAX_STEPS - 20);
  const steps: Step[] = [];
  return play({ setup, steps }, coverage, (world) => {
    // Once all is over, only late and repeated reports are left.
    for (let idle = 0; steps.length < length && idle < MAX_IDLE_STEPS; idle = chooser.isOver(world) ? idle + 1 : 0) {
      const step = chooser.next(world);
      steps.push(step);
      if (execute(world, step)) coverage.noteStep(step.do);
    }
  });
}

/** Carries a script out. Steps that do not apply are skipped. */
export function replay(script: Script, coverage: Coverage): Run {
  return play(script, coverage, (world) => {
    for (const step of script.steps) if (execute(world, step)) coverage.noteStep(step.do);
  });
}

function play(script: Script, coverage: Coverage, run: (world: World) => void): Run {
  const world = new World(script.setup, coverage.observe);
  let failure: Failure | undefined;
  try {
    run(world);
    drain(world);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const promise = error instanceof BrokenPromiseError ? error.promise : 'error';
    failure = {
      promise,
      message: error instanceof BrokenPromiseError ? error.message : (error.stack ?? error.message),
    };
  }
  const { events, commits } = world;
  return { script, failure, steps: script.steps.length, events, commits };
}
