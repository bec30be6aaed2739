// Shortens a script that fails: leaves out steps, then simplifies those that are left, as long as the same promise is broken.

import type { Script, Step } from './script.js';

type StillFails = (candidate: Script) => boolean;

export function shrink(script: Script, stillFails: StillFails): Script {
  let shortest = script;
  for (;;) {
    const before = JSON.stringify(shortest);
    shortest = leaveOutSteps(shortest, stillFails);
    shortest = simplify(shortest, stillFails);
    if (JSON.stringify(shortest) === before) return shortest;
  }
}

/** Large pieces first, then single steps. */
function leaveOutSteps(script: Script, stillFails: StillFails): Script {
  let { steps } = script;
  for (let size = Math.ceil(steps.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = steps.length - size; at > -size; at -= size) {
      const start = Math.max(0, at);
      const left = [...steps.slice(0, start), ...steps.slice(at + size)];
      if (left.length < steps.length && stillFails({ ...script, steps: left })) steps = left;
    }
  }
  return { ...script, steps };
}

function simplify(script: Script, stillFails: StillFails): Script {
  let simplest = script;
  for (let at = 0; at < simplest.steps.length; at++) {
    const step = simplest.steps[at];
    if (step === undefined) continue;
    for (const simpler of simplerSteps(step)) {
      const candidate = { ...simplest, steps: simplest.steps.with(at, simpler) };
      if (!stillFails(candidate)) continue;
      simplest = candidate;
      break;
    }
  }
  for (const setup of simplerSetups(simplest)) {
    const candidate = { ...simplest, setup };
    if (stillFails(candidate)) simplest = candidate;
  }
  return simplest;
}

function simplerSteps(step: Step): Step[] {
  switch (step.do) {
    case 'send': {
      const { sendInMs, expiresInMs, ...plain } = step;
      const fewer = step.numbers.slice(0, -1);
      return [
        ...(sendInMs === undefined && expiresInMs === undefined ? [] : [plain]),
        ...(fewer.length === 0 ? [] : [{ ...step, numbers: fewer }]),
        ...step.numbers.flatMap((kind, at) => (kind === 1 ? [] : [{ ...step, numbers: step.numbers.with(at, 1) }])),
      ];
    }
    case 'commit':
      return [
        ...(step.outcome === 'done' ? [] : [{ ...step, outcome: 'done' as const }]),
        ...(step.calls === 1 ? [] : [{ ...step, calls: 1 }]),
      ];
    case 'finish':
      return step.outcome === 'done' ? [] : [{ ...step, outcome: 'done' }];
    case 'intend':
    case 'wire':
      return step.count === 1 ? [] : [{ ...step, count: 1 }];
    case 'answer':
      return step.outcome === 'accepted' ? [] : [{ ...step, outcome: 'accepted' }];
    default:
      return [];
  }
}

function simplerSetups({ setup }: Script): Script['setup'][] {
  const { customers, channels, processes } = setup;
  return [
    ...(setup.keepsRevoked || setup.keepsPaused ? [{ customers, channels, processes }] : []),
    ...(customers.length > 1 ? [{ ...setup, customers: customers.slice(0, -1) }] : []),
    ...(channels.length > 1 ? [{ ...setup, channels: channels.slice(0, -1) }] : []),
    ...(processes > 1 ? [{ ...setup, processes: processes - 1 }] : []),
  ];
}
