// A connection that cannot be made says the same again and again: what repeats is one line with its count.

import type { ChannelEvent } from '@postrider/client';

export interface RepeatedEvent {
  /** The newest of them. */
  readonly last: ChannelEvent;
  readonly count: number;
  readonly firstAt: string;
}

/** As long as a cycle of events may be that is looked for: opened, bound, down. */
const LONGEST_CYCLE = 3;

/** How long it waits until it tries again differs each time, and says nothing new. */
function gist({ detail }: ChannelEvent): string {
  return detail.replaceAll(/\d+(?:\.\d+)? s\b/g, '');
}

function isSame(one: ChannelEvent | undefined, other: ChannelEvent | undefined): boolean {
  return one !== undefined && other !== undefined && one.event === other.event && gist(one) === gist(other);
}

/** How often the first so many events are there one after the other. */
function countCycles(events: readonly ChannelEvent[], from: number, length: number): number {
  let at = from + length;
  while (events.slice(from, from + length).every((event, index) => isSame(event, events[at + index]))) at += length;
  return (at - from) / length;
}

/** The newest first, as the list has them; each line of a cycle that repeats says how often and since when. */
export function collapseEvents(events: readonly ChannelEvent[]): readonly RepeatedEvent[] {
  const lines: RepeatedEvent[] = [];
  for (let from = 0; from < events.length; ) {
    let length = 1;
    let count = 1;
    for (let tried = 1; tried <= LONGEST_CYCLE && count === 1; tried++) {
      count = countCycles(events, from, tried);
      if (count > 1) length = tried;
    }
    for (let index = from; index < from + length; index++) {
      const last = events[index];
      const first = events[index + (count - 1) * length];
      if (last !== undefined && first !== undefined) lines.push({ last, count, firstAt: first.at });
    }
    from += length * count;
  }
  return lines;
}
