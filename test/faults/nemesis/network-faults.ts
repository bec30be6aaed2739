// Networks that cut, delay, fall silent without closing, or deliver a request and lose its answer.

import type { TcpProxy } from '../../support/network/tcp-proxy.js';
import type { World } from '../world.js';
import { centreNames, type FaultKind, nodeNames, theReceiver } from './fault-kind.js';

const NEVER = /(?!)/;
const COMMIT = /commit/i;
/** What the load's requests carry into the statement that accepts them. */
const ACCEPT = /c:faults-/;
/** How a submit begins depends on the kind of the message centre. */
const submitTo = (world: World, target: string): RegExp =>
  world.centres.find(({ name }) => name === target)?.carrier.submit ?? NEVER;

const PUSH = /^POST /;

interface Side {
  readonly side: string;
  /** A request whose answer is lost. */
  readonly request: (world: World, target: string) => RegExp;
  /** How often it is struck, beside the others. */
  readonly share: number;
  readonly targets: (world: World) => readonly string[];
}

const SIDES: readonly Side[] = [
  { side: 'database', request: () => COMMIT, share: 1, targets: nodeNames },
  { side: 'centre', request: submitTo, share: 1, targets: centreNames },
  { side: 'receiver', request: () => PUSH, share: 0.4, targets: theReceiver },
];

function createFault(
  name: string,
  weight: number,
  lasts: readonly [number, number],
  { side, share, targets }: Side,
  harm: (proxy: TcpProxy, world: World, target: string, over: AbortSignal) => void,
): FaultKind {
  return {
    name: `${name}-${side}-network`,
    weight: weight * share,
    lasts,
    targets,
    async strike({ world, target, hold }) {
      const proxy = [...world.nodes, ...world.centres, world.receiver].find((each) => each.name === target)?.proxy;
      if (proxy === undefined) throw new Error(`there is no network to ${target}`);
      const over = new AbortController();
      harm(proxy, world, target, over.signal);
      await hold();
      over.abort();
      void proxy.loseAnswerTo(NEVER);
      proxy.forward();
    },
  };
}

/** An answer is lost again and again, for as long as the fault lasts. */
function loseAnswers(patternOf: Side['request']) {
  return (proxy: TcpProxy, world: World, target: string, over: AbortSignal): void => {
    const pattern = patternOf(world, target);
    const arm = async (): Promise<void> => {
      while (!over.aborted) await proxy.loseAnswerTo(pattern);
    };
    void arm();
  };
}

export const NETWORK_FAULTS: readonly FaultKind[] = [
  ...SIDES.flatMap((side) => [
    createFault('cut', 1.5, [0, 100], side, (proxy) => proxy.cut()),
    createFault('delay', 1, [500, 4000], side, (proxy) => proxy.delay(300)),
    createFault('silence', 1.5, [500, 8000], side, (proxy) => proxy.goSilent()),
    createFault('lose-answer', 2, [300, 1500], side, loseAnswers(side.request)),
  ]),
  ...SIDES.slice(0, 1).map((side) =>
    createFault(
      'lose-acceptance',
      2,
      [500, 2500],
      side,
      loseAnswers(() => ACCEPT),
    ),
  ),
];
