// The platform as it was read time after time: what processes publish are counts, and two readings make a rate.

import type { OperatorClient, Platform, PlatformChannel } from '@postrider/client';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useOperator } from './clients.js';

const POLL_MS = 2_000;
/** Two minutes of readings. */
export const KEPT_READINGS = 60;

export type CountName = Exclude<keyof NonNullable<PlatformChannel['counted']>, 'since' | 'at'>;

export function platformQuery(operator: OperatorClient) {
  return queryOptions({ queryKey: ['platform'], queryFn: ({ signal }) => operator.platform({ signal }) });
}

export function usePlatform() {
  return useQuery({ ...platformQuery(useOperator()), refetchInterval: POLL_MS });
}

/** The readings of the last minutes, the newest last. */
export function useReadings(newest: Platform | undefined): readonly Platform[] {
  const kept = useRef<Platform[]>([]);
  const [, redraw] = useState(0);
  useEffect(() => {
    if (newest === undefined || kept.current.at(-1)?.at === newest.at) return;
    kept.current = [...kept.current, newest].slice(-KEPT_READINGS);
    redraw((count) => count + 1);
  }, [newest]);
  return kept.current;
}

/** How much a count grew a second between two readings, over all channels or of one. Where the owner changed it begins at nothing. */
export function rateBetween(before: Platform, now: Platform, name: CountName, ofChannel?: string): number {
  let sum = 0;
  for (const { channel_no: channelNo, counted } of now.channels) {
    if (ofChannel !== undefined && ofChannel !== channelNo) continue;
    const old = before.channels.find((channel) => channel.channel_no === channelNo)?.counted;
    if (counted === null || old === null || old === undefined || old.since !== counted.since) continue;
    const seconds = (Date.parse(counted.at) - Date.parse(old.at)) / 1_000;
    if (seconds > 0) sum += (counted[name] - old[name]) / seconds;
  }
  return Math.max(0, sum);
}

/** Requests a second, over all processes that were there both times. */
export function requestRate(before: Platform, now: Platform): number {
  let sum = 0;
  for (const node of now.nodes) {
    const old = before.nodes.find((one) => one.node === node.node);
    const seconds = old === undefined ? 0 : (Date.parse(node.seen_at) - Date.parse(old.seen_at)) / 1_000;
    if (old !== undefined && seconds > 0) sum += (node.requests - old.requests) / seconds;
  }
  return Math.max(0, sum);
}

/** How long something has waited, by the clock of the service. */
export function ageMs({ at }: Platform, since: string | null): number | undefined {
  return since === null ? undefined : Math.max(0, Date.parse(at) - Date.parse(since));
}
