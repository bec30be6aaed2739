// Joins the segments of long inbound messages, in whatever order they come and on whichever session. What has not all come
// by the time limit is handed on as it is, marked incomplete: nothing inbound is ever dropped. Nor can anybody make it hold
// much: beyond a limit, for one handset and for all, the oldest message is handed on, and finding it takes no search.
import type { Verdict } from './protocol.js';

/** Where an inbound segment belongs. */
export interface Segment {
  readonly reference: number;
  readonly part: number;
  readonly parts: number;
}

/** Held unacknowledged they take places of receipts in the session, so this stays well under what a session lets wait. */
const MAX_SEGMENTS = 1_000;
const MAX_BYTES = 4 * 1024 * 1024;
/** One handset writes few long messages at once. The longest there is has 255 segments. */
const MAX_MESSAGES_PER_SOURCE = 8;
const MAX_SEGMENTS_PER_SOURCE = 300;

export interface InboundSegment {
  readonly from: string;
  readonly to: string;
  readonly segment: Segment;
  readonly octets: Buffer;
  readonly respond: (verdict: Verdict) => void;
}

export interface Assembled {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly incomplete: boolean;
  /** That of its segments; undefined for a message of one. */
  readonly reference: number | undefined;
  /** Answers every segment, also those that came twice. */
  readonly respond: (verdict: Verdict) => void;
}

export interface Reassembler<S extends InboundSegment> {
  add(segment: S): void;
  tick(now: number): void;
  /** Answers what is held, for the peer to send it again. */
  stop(): void;
}

interface Assembly<S> {
  readonly key: string;
  readonly source: Source<S>;
  readonly deadline: number;
  readonly segments: Map<number, S>;
  readonly responds: ((verdict: Verdict) => void)[];
  bytes: number;
}

/** What one handset has under way, oldest first. */
interface Source<S> {
  readonly from: string;
  readonly assemblies: Set<Assembly<S>>;
  segments: number;
}

export interface ReassemblerOptions<S> {
  readonly limitMs: number;
  readonly clock: () => number;
  /** The text of the segments, in their order. */
  readonly joinTexts: (segments: readonly S[]) => string;
}

export function createReassembler<S extends InboundSegment>(
  options: ReassemblerOptions<S>,
  onAssembled: (assembled: Assembled) => void,
): Reassembler<S> {
  const assemblies = new Map<string, Assembly<S>>();
  const sources = new Map<string, Source<S>>();
  let segmentsHeld = 0;
  let bytesHeld = 0;

  function begin(key: string, from: string): Assembly<S> {
    const source = sources.get(from) ?? { from, assemblies: new Set(), segments: 0 };
    sources.set(from, source);
    const deadline = options.clock() + options.limitMs;
    const assembly: Assembly<S> = { key, source, deadline, segments: new Map(), responds: [], bytes: 0 };
    assemblies.set(key, assembly);
    source.assemblies.add(assembly);
    return assembly;
  }

  function hold(assembly: Assembly<S>, inbound: S): void {
    const { part } = inbound.segment;
    const before = assembly.segments.get(part)?.octets.length ?? 0;
    // The octets are a view of what the socket read, which would be kept whole for the sake of a few of them.
    assembly.segments.set(part, { ...inbound, octets: Buffer.from(inbound.octets) });
    assembly.responds.push(inbound.respond);
    assembly.source.segments += 1;
    segmentsHeld += 1;
    const added = inbound.octets.length - before;
    assembly.bytes += added;
    bytesHeld += added;
  }

  function letGo(assembly: Assembly<S>): void {
    const { key, source } = assembly;
    assemblies.delete(key);
    source.assemblies.delete(assembly);
    source.segments -= assembly.responds.length;
    if (source.assemblies.size === 0) sources.delete(source.from);
    segmentsHeld -= assembly.responds.length;
    bytesHeld -= assembly.bytes;
  }

  function handOn(assembly: Assembly<S>, incomplete: boolean): void {
    letGo(assembly);
    const segments = [...assembly.segments.values()].sort((left, right) => left.segment.part - right.segment.part);
    const [first] = segments;
    if (first === undefined) return;
    const text = options.joinTexts(segments);
    const respond = (verdict: Verdict) => {
      for (const answer of assembly.responds) answer(verdict);
    };
    const { from, to, segment } = first;
    onAssembled({ from, to, text, incomplete, reference: segment.reference, respond });
  }

  /** Whoever writes too much loses the patience for his own oldest message first. */
  function keepWithin({ assemblies: own, segments }: Source<S>): void {
    if (own.size > MAX_MESSAGES_PER_SOURCE || segments > MAX_SEGMENTS_PER_SOURCE) handOnFirst(own.values());
    if (segmentsHeld > MAX_SEGMENTS || bytesHeld > MAX_BYTES) handOnFirst(assemblies.values());
  }

  function handOnFirst(oldestFirst: IterableIterator<Assembly<S>>): void {
    const oldest = oldestFirst.next();
    if (!oldest.done) handOn(oldest.value, true);
  }

  return {
    add(inbound) {
      const { reference, parts } = inbound.segment;
      const key = `${inbound.from}\0${inbound.to}\0${reference}\0${parts}`;
      const assembly = assemblies.get(key) ?? begin(key, inbound.from);
      hold(assembly, inbound);
      if (assembly.segments.size === parts) handOn(assembly, false);
      else keepWithin(assembly.source);
    },
    tick(now) {
      for (const assembly of assemblies.values()) {
        // All have the same limit, so the map's order is the order of the deadlines.
        if (assembly.deadline > now) break;
        handOn(assembly, true);
      }
    },
    stop() {
      for (const assembly of assemblies.values()) {
        for (const respond of assembly.responds) respond('again');
      }
      assemblies.clear();
      sources.clear();
      segmentsHeld = 0;
      bytesHeld = 0;
    },
  };
}
