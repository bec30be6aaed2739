// What the pipeline counts, beside the figures of HTTP and of the process. docs/reference/metrics.md lists them all.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { SmppObserver } from '../channels/smpp/observer.js';
import type { BooksProof } from '../domain/platform.js';
import type { ChannelDesk, ChannelObserver } from '../pipeline/channel/desk.js';
import type { PushObserver } from '../pipeline/push/deliver.js';

export interface PipelineMetrics {
  observerOf(channelNo: string): ChannelObserver;
  smppObserverOf(channelNo: string): SmppObserver;
  countRecorded(happenings: number): void;
  setImbalances(count: number): void;
  /** The last proof of the money; undefined before the first. */
  books(): BooksProof | undefined;
  readonly push: PushObserver;
}

export function makePipelineMetrics(
  registry: Registry,
  look: {
    readonly waitingRequests: () => number;
    readonly desks: () => readonly ChannelDesk[];
    readonly buckets: () => readonly number[];
  },
): PipelineMetrics {
  const registers = [registry];
  let proof: BooksProof | undefined;
  const parts = new Counter({
    name: 'postrider_parts_total',
    help: 'Message parts handed to a channel, by what the upstream answered.',
    labelNames: ['channel', 'outcome'],
    registers,
  });
  const feedback = new Counter({
    name: 'postrider_feedback_total',
    help: 'What came back on a channel: reports, reports that match no part yet, uplinks, uplinks that nobody claims.',
    labelNames: ['channel', 'event'],
    registers,
  });
  const transactions = new Counter({
    name: 'postrider_settlements_total',
    help: 'Transactions that recorded outcomes.',
    registers,
  });
  const recorded = new Counter({
    name: 'postrider_settled_events_total',
    help: 'Intents, answers, reports and timeouts recorded by those transactions.',
    registers,
  });
  const imbalances = new Gauge({
    name: 'postrider_audit_imbalances',
    help: 'Accounts that do not stand where their last ledger entry left them. Anything but 0 is an emergency.',
    registers,
  });
  new Gauge({
    name: 'postrider_accept_waiting',
    help: 'Send requests that wait for the next commit.',
    registers,
    collect() {
      this.set(look.waitingRequests());
    },
  });
  new Gauge({
    name: 'postrider_buckets',
    help: 'Groups of customers that are worked on side by side: one on a single PostgreSQL, several on a cluster.',
    registers,
    collect() {
      this.set(look.buckets().length);
    },
  });
  const channelGauge = (name: string, help: string, read: (desk: ChannelDesk) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['channel'],
      registers,
      collect() {
        this.reset();
        for (const desk of look.desks()) this.set({ channel: desk.config.channelNo }, read(desk));
      },
    });
  channelGauge('postrider_channel_up', 'Whether the channel owned by this process can carry messages.', (desk) =>
    desk.channel.health().state === 'down' ? 0 : 1,
  );
  channelGauge(
    'postrider_channel_sessions',
    'Sessions that could carry a part now.',
    (desk) => desk.channel.health().sessions,
  );
  const inFlight = new Gauge({
    name: 'postrider_smpp_window_in_flight',
    help: 'Parts that wait for their answer on an SMPP channel, over all sessions.',
    labelNames: ['channel'],
    registers,
  });
  const places = new Gauge({
    name: 'postrider_smpp_window_size',
    help: 'How many parts may wait for their answer at once on an SMPP channel.',
    labelNames: ['channel'],
    registers,
  });
  const latency = new Histogram({
    name: 'postrider_smpp_submit_latency_seconds',
    help: 'Time from submit_sm to its answer.',
    labelNames: ['channel'],
    buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  const lateAnswers = new Counter({
    name: 'postrider_smpp_late_answers_total',
    help: 'Answers that came after their part had been given up as unknown.',
    labelNames: ['channel'],
    registers,
  });
  return {
    smppObserverOf: (channel) => ({
      sessions() {},
      window(count, size) {
        inFlight.set({ channel }, count);
        places.set({ channel }, size);
      },
      outcome(_, latencyMs) {
        if (latencyMs !== undefined) latency.observe({ channel }, latencyMs / 1000);
      },
      lateAnswer: () => lateAnswers.inc({ channel }),
      received() {},
    }),
    observerOf: (channel) => ({
      outcome: (outcome) => parts.inc({ channel, outcome }),
      feedback: (event) => feedback.inc({ channel, event }),
    }),
    countRecorded(happenings) {
      transactions.inc();
      recorded.inc(happenings);
    },
    setImbalances(count) {
      imbalances.set(count);
      proof = { imbalances: count, checked_at: new Date().toISOString() };
    },
    books: () => proof,
    push: makePushObserver(registry),
  };
}

function makePushObserver(registry: Registry): PushObserver {
  const registers = [registry];
  const attempts = new Counter({
    name: 'postrider_webhook_attempts_total',
    help: 'Calls to webhooks, by the kind of event and by whether they were answered with success.',
    labelNames: ['event', 'outcome'],
    registers,
  });
  const lag = new Histogram({
    name: 'postrider_webhook_lag_seconds',
    help: 'How long ago what a webhook was told had happened, by the kind of event.',
    labelNames: ['event'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 3600, 86_400],
    registers,
  });
  const disabled = new Counter({
    name: 'postrider_webhook_disabled_total',
    help: 'Webhooks that were disabled because they are gone or failed for three days.',
    registers,
  });
  return {
    attempt(event, outcome, lagMs) {
      attempts.inc({ event, outcome });
      if (outcome === 'delivered') lag.observe({ event }, Math.max(0, lagMs) / 1000);
    },
    disabled: () => disabled.inc(),
  };
}
