// Every kind of channel there is: how its configuration is described and checked, how it is opened.

import type { TObject } from '@sinclair/typebox';
import type { Logger } from 'pino';
import type { ChannelKind, ConfigObject } from '../domain/entities/channel.js';
import type { Fault } from '../domain/fault.js';
import type { Channel } from './channel.js';
import { partSecrets } from './check-config.js';
import { checkSimulatorConfig, SimulatorConfigSchema } from './simulator/config.js';
import { openSimulator } from './simulator/simulator.js';
import { parseSmppConfig, SmppConfigSchema } from './smpp/config.js';
import type { SmppObserver } from './smpp/observer.js';
import { openSmppChannel } from './smpp/smpp-channel.js';

/** The configuration of each kind; secret fields are marked `writeOnly`. */
export const CONFIG_SCHEMAS: Readonly<Record<ChannelKind, TObject>> = {
  simulator: SimulatorConfigSchema,
  smpp: SmppConfigSchema,
};

export type CheckedConfig =
  | { readonly config: ConfigObject; readonly secret: ConfigObject }
  | { readonly faults: readonly Fault[] };

/** Fills in the defaults, names every fault, and parts what is secret from what may be shown. */
export function checkChannelConfig(kind: ChannelKind, input: ConfigObject): CheckedConfig {
  if (kind === 'simulator') {
    const checked = checkSimulatorConfig(input);
    return checked.faults !== undefined ? checked : partSecrets(SimulatorConfigSchema, checked.config);
  }
  const parsed = parseSmppConfig(input);
  return parsed.faults !== undefined ? parsed : partSecrets(SmppConfigSchema, parsed.config);
}

export interface OpenOptions {
  readonly log: Logger;
  readonly observer: SmppObserver;
}

/** The configuration has been checked when it was stored. */
export function openChannel(kind: ChannelKind, config: ConfigObject, options: OpenOptions): Channel {
  const random = Math.random;
  if (kind === 'simulator') {
    const checked = checkSimulatorConfig(config);
    if (checked.faults !== undefined)
      throw new Error(`a stored simulator configuration is not valid: ${JSON.stringify(checked)}`);
    return openSimulator(checked.config, { now: Date.now, random });
  }
  const parsed = parseSmppConfig(config);
  if (parsed.faults !== undefined)
    throw new Error(`a stored SMPP configuration is not valid: ${JSON.stringify(parsed)}`);
  return openSmppChannel(parsed.config, { ...options, clock: () => performance.now(), now: Date.now, random });
}
