// All kinds of channels. A new kind is a folder with a driver, and a line here.

import type { ChannelKindDescription, ChannelTraits, ConfigObject } from '../domain/entities/channel.js';
import type { OpenChannel } from './channel.js';
import { cmppDriver } from './cmpp/driver.js';
import type { ChannelDriver, CheckedChannelConfig, DriverDeps, ExclusiveClaim, ReadCallback } from './driver.js';
import { httpDriver } from './http-upstream/driver.js';
import { sgipDriver } from './sgip/driver.js';
import { simulatorDriver } from './simulator/driver.js';
import { smgpDriver } from './smgp/driver.js';
import { smppDriver } from './smpp/driver.js';

const DRIVERS = {
  smpp: smppDriver,
  cmpp: cmppDriver,
  smgp: smgpDriver,
  http: httpDriver,
  sgip: sgipDriver,
  simulator: simulatorDriver,
} as const satisfies Record<string, ChannelDriver>;

export type ChannelKind = keyof typeof DRIVERS;

export const CHANNEL_DRIVERS: Readonly<Record<ChannelKind, ChannelDriver>> = DRIVERS;

export const CHANNEL_KINDS: readonly ChannelKindDescription[] = Object.values(CHANNEL_DRIVERS).map(
  ({ description }) => description,
);

/** Undefined for a kind that this version does not know. */
export function traitsOf(kind: string): ChannelTraits | undefined {
  return findDriver(kind)?.traits;
}

export function checkChannelConfig(kind: string, input: ConfigObject): CheckedChannelConfig {
  const driver = findDriver(kind);
  if (driver === undefined) throw new Error(`there is no driver of kind ${kind}`);
  return driver.check(input);
}

export function openChannel(kind: string, config: ConfigObject, deps: DriverDeps): OpenChannel {
  const driver = findDriver(kind);
  if (driver === undefined) throw new Error(`there is no driver of kind ${kind}`);
  return driver.open(config, deps);
}

/** Undefined for a kind that has no callbacks. */
export function callbackReaderOf(kind: string): ReadCallback<ConfigObject> | undefined {
  return findDriver(kind)?.readCallback;
}

/** The local address that a channel listens on; undefined for one that does not listen. */
export function localPortOf({
  kind,
  config,
}: {
  readonly kind: string;
  readonly config: ConfigObject;
}): string | undefined {
  return findDriver(kind)?.localPort?.(config);
}

/** What only one active channel of its kind may have. The configuration is a stored one, with or without its secrets. */
export function exclusiveClaimOf(kind: string, config: ConfigObject): ExclusiveClaim | undefined {
  return findDriver(kind)?.exclusiveClaim?.(config);
}

function findDriver(kind: string): ChannelDriver | undefined {
  return Object.hasOwn(DRIVERS, kind) ? DRIVERS[kind as ChannelKind] : undefined;
}
