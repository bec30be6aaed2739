// Joins the segments of long inbound messages, which arrive in any order and on any session. A message that is incomplete at the
// deadline is delivered as it is, marked incomplete: nothing inbound is dropped. Memory is limited per handset and in total: beyond a
// limit the oldest message is delivered early.
import type { Acknowledgement } from './protocol.js';
import type { Segment } from './user-data-header.js';

/** Unacknowledged segments count against the session's limit of waiting messages, so this stays well below it. */
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
  readonly respond: (acknowledgement: Acknowledgement) => void;
}

export interface Assembled {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly incomplete: boolean;
  /** The concatenation reference; undefined for a single segment. */
  readonly reference: number | undefined;
  /** Answers every segment, including repeated ones. */
  readonly respond: (acknowledgement: Acknowledgement) => void;
}

export interface Reassembler<S extends InboundSegment> {
  add(segment: S): void;
  tick(now: number): void;
  /** Asks the peer to send all held segments again. */
  stop(): void;
}

interface Assembly<S> {
  readonly key: string;
  readonly source: Source<S>;
  readonly deadline: number;
  readonly segments: Map<number, S>;
  readonly responds: ((acknowledgement: Acknowledgement) => void)[];
  bytes: number;
}

/** The incomplete messages of one handset, oldest first. */
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
    // A copy: the octets are a view of the socket's read buffer, which would stay in memory.
    assembly.segments.set(part, { ...inbound, octets: Buffer.from(inbound.octets) });
    assembly.responds.push(inbound.respond);
    assembly.source.segments += 1;
    segmentsHeld += 1;
    const added = inbound.octets.length - before;
    assembly.bytes += added;
    bytesHeld += added;
  }

  function remove(assembly: Assembly<S>): void {
    const { key, source } = assembly;
    assemblies.delete(key);
    source.assemblies.delete(assembly);
    source.segments -= assembly.responds.length;
    if (source.assemblies.size === 0) sources.delete(source.from);
    segmentsHeld -= assembly.responds.length;
    bytesHeld -= assembly.bytes;
  }

  function deliver(assembly: Assembly<S>, incomplete: boolean): void {
    remove(assembly);
    const segments = [...assembly.segments.values()].sort((left, right) => left.segment.part - right.segment.part);
    const [first] = segments;
    if (first === undefined) return;
    const text = options.joinTexts(segments);
    const respond = (acknowledgement: Acknowledgement) => {
      for (const answer of assembly.responds) answer(acknowledgement);
    };
    const { from, to, segment } = first;
    onAssembled({ from, to, text, incomplete, reference: segment.reference, respond });
  }

  /** The limit per handset comes first, so that a handset that sends too much loses its own oldest message. */
  function enforceLimits({ assemblies: own, segments }: Source<S>): void {
    if (own.size > MAX_MESSAGES_PER_SOURCE || segments > MAX_SEGMENTS_PER_SOURCE) deliverOldest(own.values());
    if (segmentsHeld > MAX_SEGMENTS || bytesHeld > MAX_BYTES) deliverOldest(assemblies.values());
  }

  function deliverOldest(oldestFirst: IterableIterator<Assembly<S>>): void {
    const oldest = oldestFirst.next();
    if (!oldest.done) deliver(oldest.value, true);
  }

  return {
    add(inbound) {
      const { reference, parts } = inbound.segment;
      const key = `${inbound.from}\0${inbound.to}\0${reference}\0${parts}`;
      const assembly = assemblies.get(key) ?? begin(key, inbound.from);
      hold(assembly, inbound);
      if (assembly.segments.size === parts) deliver(assembly, false);
      else enforceLimits(assembly.source);
    },
    tick(now) {
      for (const assembly of assemblies.values()) {
        // All have the same time limit, so the map is in the order of the deadlines.
        if (assembly.deadline > now) break;
        deliver(assembly, true);
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
