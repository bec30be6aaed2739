// Joins the segments of long inbound messages, in whatever order they come and on whichever session. What has not all come
// by the time limit is handed on as it is, marked incomplete: nothing inbound is ever dropped.
import { type Charset, decodeText } from './charset.js';
import type { Segment } from './long-message.js';

/** Over all messages in progress; beyond it the oldest is handed on incomplete. */
const MAX_SEGMENTS = 10_000;

export interface InboundSegment {
  readonly from: string;
  readonly to: string;
  readonly segment: Segment;
  readonly octets: Buffer;
  readonly headerBytes: number;
  readonly dataCoding: number;
  readonly respond: (status: number) => void;
}

export interface Assembled {
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly incomplete: boolean;
  /** Answers every segment, also those that came twice. */
  readonly respond: (status: number) => void;
}

export interface Reassembler {
  add(segment: InboundSegment): void;
  tick(now: number): void;
  /** Answers what is held with `status`, for the peer to send again. */
  stop(status: number): void;
}

interface Assembly {
  readonly deadline: number;
  readonly segments: Map<number, InboundSegment>;
  readonly responds: ((status: number) => void)[];
}

export function createReassembler(
  options: { limitMs: number; charset: Charset; clock: () => number },
  onAssembled: (assembled: Assembled) => void,
): Reassembler {
  const assemblies = new Map<string, Assembly>();
  let held = 0;

  function handOn(key: string, assembly: Assembly, incomplete: boolean): void {
    assemblies.delete(key);
    held -= assembly.responds.length;
    const segments = [...assembly.segments.values()].sort((left, right) => left.segment.part - right.segment.part);
    const [first] = segments;
    if (first === undefined) return;
    const text = joinTexts(segments, options.charset);
    const respond = (status: number) => {
      for (const answer of assembly.responds) answer(status);
    };
    onAssembled({ from: first.from, to: first.to, text, incomplete, respond });
  }

  function handOnOldest(): void {
    const [oldest] = assemblies;
    if (oldest !== undefined) handOn(oldest[0], oldest[1], true);
  }

  return {
    add(inbound) {
      const { reference, part, parts } = inbound.segment;
      const key = `${inbound.from}\0${inbound.to}\0${reference}\0${parts}`;
      let assembly = assemblies.get(key);
      if (assembly === undefined) {
        assembly = { deadline: options.clock() + options.limitMs, segments: new Map(), responds: [] };
        assemblies.set(key, assembly);
      }
      // The octets are a view of what the socket read, which would be kept whole for the sake of a few of them.
      assembly.segments.set(part, { ...inbound, octets: Buffer.from(inbound.octets) });
      assembly.responds.push(inbound.respond);
      held += 1;
      if (assembly.segments.size === parts) handOn(key, assembly, false);
      else if (held > MAX_SEGMENTS) handOnOldest();
    },
    tick(now) {
      for (const [key, assembly] of assemblies) {
        // All have the same limit, so the map's order is the order of the deadlines.
        if (assembly.deadline > now) break;
        handOn(key, assembly, true);
      }
    },
    stop(status) {
      for (const assembly of assemblies.values()) {
        for (const respond of assembly.responds) respond(status);
      }
      assemblies.clear();
      held = 0;
    },
  };
}

/** Octets are joined before they are read: carriers split between the halves of a surrogate or escape pair. */
function joinTexts(segments: readonly InboundSegment[], charset: Charset): string {
  const dataCoding = segments[0]?.dataCoding ?? 0;
  if (charset !== 'gsm0338_packed' && segments.every((segment) => segment.dataCoding === dataCoding)) {
    return decodeText(Buffer.concat(segments.map((segment) => segment.octets)), dataCoding, charset, 0);
  }
  return segments.map((each) => decodeText(each.octets, each.dataCoding, charset, each.headerBytes)).join('');
}
