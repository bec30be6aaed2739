import type { CentreKind } from '../../support/spawned.js';
import type { ScenarioName } from '../scenarios/scenarios.js';

/** A change of the compiled code that a campaign must catch. */
export interface PlantedBug {
  readonly name: string;
  readonly changes: readonly { readonly file: string; readonly find: string; readonly replace: string }[];
  /** How the names of rules begin that may catch it: another one would be luck. */
  readonly caughtBy: readonly string[];
  /** Where it shows; a campaign where it says nothing. */
  readonly scenario?: 'neighbour' | ScenarioName;
  /** Of the two carriers; both speak SMPP where it says nothing. */
  readonly kinds?: readonly CentreKind[];
  /** Which faults to use; all of them where it says nothing. */
  readonly faults?: readonly string[];
  readonly seconds?: number;
}
