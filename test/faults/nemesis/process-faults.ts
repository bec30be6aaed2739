// Processes that die, stall, or have a clock that is off. A node counts as struck until it is ready again, so that none is killed
// while it starts.

import { centreNames, type FaultKind, findNamed, nodeNames, theReceiver } from './fault-kind.js';

const killNode: FaultKind = {
  name: 'kill-node',
  weight: 4,
  lasts: [0, 2500],
  targets: nodeNames,
  async strike({ world, target, hold }) {
    const node = findNamed(world.nodes, target);
    await node.kill();
    await hold();
    node.restart();
    await node.ready();
  },
};

const pauseNode: FaultKind = {
  name: 'pause-node',
  weight: 2,
  lasts: [200, 4000],
  targets: nodeNames,
  async strike({ world, target, hold }) {
    const node = findNamed(world.nodes, target);
    node.pause();
    await hold();
    node.resume();
  },
};

/** Longer than a lease: another process owns its channels when it wakes up, and it does not know. */
const staleOwner: FaultKind = { ...pauseNode, name: 'stale-owner', weight: 2, lasts: [7000, 9000] };

const skewClock: FaultKind = {
  name: 'skew-clock',
  weight: 1,
  lasts: [4000, 10_000],
  targets: nodeNames,
  async strike({ world, target, dice, hold }) {
    const node = findNamed(world.nodes, target);
    await node.kill();
    node.restart(dice.pick([-1, 1]) * dice.between(20_000, 240_000));
    await node.ready();
    await hold();
    await node.kill();
    node.restart();
    await node.ready();
  },
};

const killCentre: FaultKind = {
  name: 'kill-centre',
  weight: 1,
  lasts: [0, 3000],
  targets: centreNames,
  async strike({ world, target, hold }) {
    const centre = findNamed(world.centres, target);
    await centre.kill();
    await hold();
    await centre.restart();
  },
};

const pauseCentre: FaultKind = {
  name: 'pause-centre',
  weight: 1.5,
  lasts: [200, 6000],
  targets: centreNames,
  async strike({ world, target, hold }) {
    const centre = findNamed(world.centres, target);
    centre.pause();
    await hold();
    centre.resume();
  },
};

const killReceiver: FaultKind = {
  name: 'kill-receiver',
  weight: 1,
  lasts: [0, 4000],
  targets: theReceiver,
  async strike({ world, hold }) {
    await world.receiver.kill();
    await hold();
    await world.receiver.restart();
  },
};

export const PROCESS_FAULTS = [killNode, pauseNode, staleOwner, skewClock, killCentre, pauseCentre, killReceiver];
