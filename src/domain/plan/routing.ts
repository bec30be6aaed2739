// Routes numbers to firms and channels. A firm serves numbers by E.164 prefix, and the longest prefix wins; a firm without prefixes
// serves all other numbers.

import type { ChannelTraits } from '../entities/channel.js';
import type { Alphabet } from '../message/parts.js';

export interface RoutableFirm {
  readonly firm: string;
  readonly prefixes: readonly string[];
}

export interface RoutableChannel extends ChannelTraits {
  readonly channelId: bigint;
  readonly firms: readonly string[];
}

export interface RouteLimits {
  /** The firms that the customer requested, in order of preference; empty: any. */
  readonly targetFirms: readonly string[];
  /** The firms that the template is approved for; null: all. */
  readonly approvedFirms: ReadonlySet<string> | null;
}

export interface Route {
  readonly firm: string;
  /** At least one: the channels that are up, or all if none is. */
  readonly channelIds: readonly bigint[];
  /** Of these channels: the number of parts may differ between them. */
  readonly alphabets: ReadonlySet<Alphabet>;
  /** Whether a channel of the firm takes whole messages with template variables. */
  readonly takesVariables: boolean;
}

export type Router = (e164: string) => Route | undefined;

export function createRouter(
  firms: readonly RoutableFirm[],
  grantedChannels: readonly RoutableChannel[],
  isUp: (channelId: bigint) => boolean,
  limits: RouteLimits,
): Router {
  const byPrefix = new Map<string, Route>();
  let longest = 0;
  for (const firm of inOrderOfPreference(firms, limits)) {
    const serving = grantedChannels.filter((channel) => channel.firms.includes(firm.firm));
    if (serving.length === 0) continue;
    const up = serving.filter(({ channelId }) => isUp(channelId));
    const usable = up.length > 0 ? up : serving;
    const route = {
      firm: firm.firm,
      channelIds: usable.map(({ channelId }) => channelId),
      alphabets: new Set(usable.map(({ alphabet }) => alphabet)),
      takesVariables: serving.some(({ isWhole }) => isWhole === true),
    };
    for (const prefix of firm.prefixes.length > 0 ? firm.prefixes : ['']) {
      if (byPrefix.has(prefix)) continue;
      byPrefix.set(prefix, route);
      longest = Math.max(longest, prefix.length);
    }
  }
  return (e164) => {
    for (let length = Math.min(longest, e164.length); length >= 0; length--) {
      const route = byPrefix.get(e164.slice(0, length));
      if (route !== undefined) return route;
    }
    return undefined;
  };
}

/** The firms that have the number by its prefix, the longest first, whether or not a channel serves them. */
export function findFirms(firms: readonly RoutableFirm[], e164: string): string[] {
  return firms
    .flatMap(({ firm, prefixes }) => {
      const fitting = prefixes.length > 0 ? prefixes.filter((prefix) => e164.startsWith(prefix)) : [''];
      return fitting.length === 0 ? [] : [{ firm, length: Math.max(...fitting.map((prefix) => prefix.length)) }];
    })
    .sort((one, other) => other.length - one.length || (one.firm < other.firm ? -1 : 1))
    .map(({ firm }) => firm);
}

function inOrderOfPreference(firms: readonly RoutableFirm[], limits: RouteLimits): RoutableFirm[] {
  const { targetFirms, approvedFirms } = limits;
  const usable = firms.filter(
    ({ firm }) =>
      (approvedFirms === null || approvedFirms.has(firm)) && (targetFirms.length === 0 || targetFirms.includes(firm)),
  );
  const rank = ({ firm }: RoutableFirm) => targetFirms.indexOf(firm);
  return usable.sort((a, b) => rank(a) - rank(b) || (a.firm < b.firm ? -1 : 1));
}
