// What a channel with sessions measures. Every call is on the hot path: an observer adds up and returns.
import type { Feedback, SubmitOutcome } from '../channel.js';
import type { DriverDeps, MetricDefinition } from '../driver.js';

export interface SessionObserver {
  /** Sessions that are bound now, receivers included. */
  sessions(bound: number): void;
  /** Parts in flight now, over all sessions, of the places there are. */
  window(inFlight: number, size: number): void;
  /** One part has its outcome; the latency is that of the answer, where there was one. */
  outcome(kind: SubmitOutcome['kind'], latencyMs: number | undefined): void;
  /** An answer came for a part that had been given up as unknown. */
  lateAnswer(): void;
  received(kind: Feedback['kind']): void;
}

export const silentObserver: SessionObserver = {
  sessions() {},
  window() {},
  outcome() {},
  lateAnswer() {},
  received() {},
};

export const SESSION_METRICS: readonly MetricDefinition[] = [
  {
    name: 'window_in_flight',
    type: 'gauge',
    help: 'Segments that wait for their answer, over all sessions.',
  },
  {
    name: 'window_size',
    type: 'gauge',
    help: 'How many segments may wait for their answer at once.',
  },
  {
    name: 'submit_latency_seconds',
    type: 'histogram',
    help: 'Time from submitting a segment to its answer.',
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  {
    name: 'late_answers_total',
    type: 'counter',
    help: 'Answers that came after their segment had been given up as unknown.',
  },
];

export function createObserver(meter: DriverDeps['meter']): SessionObserver {
  const inFlight = meter('window_in_flight');
  const places = meter('window_size');
  const latency = meter('submit_latency_seconds');
  const lateAnswers = meter('late_answers_total');
  return {
    ...silentObserver,
    window(count, size) {
      inFlight(count);
      places(size);
    },
    outcome(_, latencyMs) {
      if (latencyMs !== undefined) latency(latencyMs / 1000);
    },
    lateAnswer: () => lateAnswers(1),
  };
}
