// The channels that a customer may be granted: what sends now comes first, and each says how it is.

import type { Channel } from '@postrider/client';
import { type Say, sayValue } from '../../../words/say.js';

type Health = Pick<Channel, 'status' | 'health'>;

const ORDER: Readonly<Record<string, number>> = { up: 0, degraded: 1, down: 2 };

/** As one word: how the channel is, or that it is disabled. */
export function stateOf({ status, health }: Health): string {
  return status === 'active' ? health.state : status;
}

export function compareHealth(one: Health, other: Health): number {
  const rank = (channel: Health) => ORDER[stateOf(channel)] ?? 3;
  return rank(one) - rank(other);
}

export function channelChoices(say: Say, channels: readonly Channel[]) {
  return channels.toSorted(compareHealth).map((channel) => ({
    value: channel.channel_no,
    label: `${channel.name} · ${sayValue(say, 'status', stateOf(channel))}`,
  }));
}
