import type { Dice } from '../dice.js';
import type { World } from '../world.js';

/** One way in which things go wrong. */
export interface FaultKind {
  readonly name: string;
  readonly weight: number;
  /** How long it lasts, in milliseconds. */
  readonly lasts: readonly [number, number];
  /** The names of what it can be done to. */
  targets(world: World): readonly string[];
  /** Does it, holds it, and heals it, also when holding is cut short. */
  strike(scene: Scene): Promise<void>;
}

export interface Scene {
  readonly world: World;
  readonly target: string;
  readonly dice: Dice;
  /** Waits as long as the fault is to last, or until the campaign ends. */
  hold(): Promise<void>;
}

export const nodeNames = ({ nodes }: World): readonly string[] => nodes.map(({ name }) => name);
export const centreNames = ({ centres }: World): readonly string[] => centres.map(({ name }) => name);
export const theReceiver = ({ receiver }: World): readonly string[] => [receiver.name];
export const theDatabase = (): readonly string[] => ['database'];

export function findNamed<T extends { readonly name: string }>(from: readonly T[], name: string): T {
  const found = from.find((each) => each.name === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found;
}
