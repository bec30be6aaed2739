// Parts of a channel that are moved by hand, without a dispatcher.

import { pino } from 'pino';
import {
  createPartLifecycle,
  type PartLifecycle,
  type PartQueue,
} from '../../../src/pipeline/channel/parts/part-lifecycle.js';
import type { PartState, Sendable } from '../../../src/pipeline/channel/parts/part-state.js';
import { createPartsInFlight } from '../../../src/pipeline/channel/parts/parts-in-flight.js';
import type { ReportMatcher } from '../../../src/pipeline/channel/parts/report-matcher.js';
import { createWindow } from '../../../src/pipeline/channel/parts/window.js';
import { createQuarantine } from '../../../src/pipeline/quarantine/quarantine.js';
import type { Recorder } from '../../../src/pipeline/settle/recorder.js';
import type { Wake } from '../../../src/pipeline/wake.js';

/** Moves a part and tells the matcher, as the lifecycle does, whatever state it is in. */
export function createMoves(matcher: () => ReportMatcher) {
  const move = (part: Sendable, to: PartState, messageId?: string): void => {
    const from = part.position.state;
    part.position.state = to;
    matcher().partMoved(part, from, messageId);
  };
  return {
    submit: (part: Sendable) => move(part, 'on_wire'),
    accept(part: Sendable, messageId: string) {
      part.position.answer = 'accepted';
      move(part, 'answered', messageId);
    },
    recordAcceptance: (part: Sendable) => move(part, 'recorded'),
    lose(part: Sendable) {
      part.position.answer = 'unknown';
      move(part, 'answered');
    },
    recordLoss(part: Sendable) {
      part.position.answer = 'unknown';
      move(part, 'recorded');
    },
  };
}

/** The lifecycle of a channel that sends nothing: for its reports. */
export function createReportLifecycle(matcher: ReportMatcher, recorder: Recorder): PartLifecycle {
  const log = pino({ level: 'silent' });
  return createPartLifecycle({
    lease: { channelId: 1n, token: 1n },
    recorder,
    matcher,
    inFlight: createPartsInFlight(),
    window: createWindow(10),
    queue: {} as PartQueue,
    quarantine: createQuarantine({ now: Date.now, log }),
    wake: {} as Wake,
    log,
    now: Date.now,
    failoverChannel: () => undefined,
    recheck: () => undefined,
    refreshSnapshot: async () => {},
    onFault: () => {},
  });
}
