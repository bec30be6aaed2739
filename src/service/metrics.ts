// What the pipeline counts, beside the figures of HTTP and of the process. docs/reference/metrics.md lists them all.

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ChannelDriver, Meter, MetricDefinition } from '../channels/driver.js';
import type { BooksProof } from '../domain/platform.js';
import type { ChannelObserver, ChannelRuntime } from '../pipeline/channel/ownership/channel-runtime.js';
import type { PushObserver } from '../pipeline/push/deliver.js';

export interface PipelineMetrics {
  observerOf(channelNo: string): ChannelObserver;
  /** The meters of what the driver of a kind measures, for one channel. */
  meterOf(kind: string, channelNo: string): (metric: string) => Meter;
  countRecorded(deliveryEvents: number): void;
  countLostCommits(parts: number): void;
  setImbalances(count: number): void;
  /** The last proof of the money; undefined before the first. */
  books(): BooksProof | undefined;
  readonly push: PushObserver;
}

interface MetricsSource {
  readonly waitingRequests: () => number;
  readonly runtimes: () => readonly ChannelRuntime[];
  readonly buckets: () => readonly number[];
  readonly isHeld: () => boolean;
  readonly drivers: readonly Pick<ChannelDriver, 'kind' | 'metrics'>[];
}

export function createPipelineMetrics(registry: Registry, look: MetricsSource): PipelineMetrics {
  const registers = [registry];
  let proof: BooksProof | undefined;
  const countParts = createChannelCounter(registry, 'outcome', {
    name: 'postrider_parts_total',
    help: 'Segments handed to a channel, by what the upstream answered.',
  });
  const countFeedback = createChannelCounter(registry, 'event', {
    name: 'postrider_feedback_total',
    help: 'What came back on a channel: reports, reports that match no segment yet, replies, replies to unknown addresses.',
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
  const lostCommits = new Counter({
    name: 'postrider_lost_commits_total',
    help: 'Segments that an upstream answered or reported and that the database no longer knew to be sent. Anything but 0 is an emergency.',
    registers,
  });
  const imbalances = new Gauge({
    // Every process looks at the same money.
    aggregator: 'max',
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
    aggregator: 'max',
    name: 'postrider_buckets',
    help: 'Groups of customers that are worked on side by side: one on a single PostgreSQL, several on a cluster.',
    registers,
    collect() {
      this.set(look.buckets().length);
    },
  });
  new Gauge({
    // Every process looks at the same row.
    aggregator: 'max',
    name: 'postrider_channels_held',
    help: '1 while no channel may open because the database may have lost commits. An operator has to release them.',
    registers,
    collect() {
      this.set(look.isHeld() ? 1 : 0);
    },
  });
  const channelGauge = (name: string, help: string, read: (runtime: ChannelRuntime) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['channel'],
      registers,
      collect() {
        this.reset();
        for (const runtime of look.runtimes()) this.set({ channel: runtime.config.channelNo }, read(runtime));
      },
    });
  channelGauge('postrider_channel_up', 'Whether the channel owned by this process can carry messages.', (runtime) =>
    runtime.channel.health().state === 'down' ? 0 : 1,
  );
  channelGauge(
    'postrider_channel_sessions',
    'Sessions that could carry a part now.',
    (runtime) => runtime.channel.health().sessions,
  );
  return {
    meterOf: createDriverMeters(registry, look),
    observerOf: (channel) => ({ outcome: countParts(channel), feedback: countFeedback(channel) }),
    countRecorded(deliveryEvents) {
      transactions.inc();
      recorded.inc(deliveryEvents);
    },
    countLostCommits: (count) => lostCommits.inc(count),
    setImbalances(count) {
      imbalances.set(count);
      proof = { imbalances: count, checked_at: new Date().toISOString() };
    },
    books: () => proof,
    push: createPushObserver(registry),
  };
}

/** Counts in plain numbers, because a labelled counter costs every part; the counter is brought up to date when it is read. */
function createChannelCounter(
  registry: Registry,
  label: string,
  about: { readonly name: string; readonly help: string },
): (channel: string) => (value: string) => void {
  const counts = new Map<string, Map<string, number>>();
  new Counter({
    ...about,
    labelNames: ['channel', label],
    registers: [registry],
    collect() {
      for (const [channel, byValue] of counts) {
        for (const [value, count] of byValue) this.inc({ channel, [label]: value }, count);
        byValue.clear();
      }
    },
  });
  return (channel) => {
    const byValue = counts.get(channel) ?? new Map<string, number>();
    counts.set(channel, byValue);
    return (value) => void byValue.set(value, (byValue.get(value) ?? 0) + 1);
  };
}

/** `postrider_<kind>_<name>` for every metric that a driver declares, labelled with the channel. */
function createDriverMeters(registry: Registry, { drivers, runtimes }: MetricsSource): PipelineMetrics['meterOf'] {
  const recorders = new Map(
    drivers.flatMap(({ kind, metrics }) =>
      metrics.map((metric) => [`${kind} ${metric.name}`, createRecorder(registry, kind, metric, runtimes)] as const),
    ),
  );
  return (kind, channel) => (metric) => {
    const recorder = recorders.get(`${kind} ${metric}`);
    if (recorder === undefined) throw new Error(`the driver of kind ${kind} does not declare the metric ${metric}`);
    return recorder(channel);
  };
}

function createRecorder(
  registry: Registry,
  kind: string,
  metric: MetricDefinition,
  runtimes: MetricsSource['runtimes'],
): (channel: string) => Meter {
  const { name, help, type, buckets } = metric;
  const options = { name: `postrider_${kind}_${name}`, help, labelNames: ['channel'], registers: [registry] };
  switch (type) {
    case 'gauge': {
      const measured = new Set<string>();
      const gauge = new Gauge({
        ...options,
        // A channel that another process has now is measured there.
        collect() {
          const owned = new Set(runtimes().map(({ config }) => config.channelNo));
          for (const channel of measured) {
            if (owned.has(channel)) continue;
            measured.delete(channel);
            this.remove({ channel });
          }
        },
      });
      return (channel) => (value) => {
        measured.add(channel);
        gauge.set({ channel }, value);
      };
    }
    case 'counter': {
      const counter = new Counter(options);
      return (channel) => (value) => counter.inc({ channel }, value);
    }
    case 'histogram': {
      const histogram = new Histogram({ ...options, ...(buckets && { buckets: [...buckets] }) });
      return (channel) => (value) => histogram.observe({ channel }, value);
    }
  }
}

function createPushObserver(registry: Registry): PushObserver {
  const registers = [registry];
  const attempts = new Counter({
    name: 'postrider_webhook_attempts_total',
    help: 'Calls to webhooks, by the kind of event and by whether they were answered with success.',
    labelNames: ['event', 'outcome'],
    registers,
  });
  const lag = new Histogram({
    name: 'postrider_webhook_lag_seconds',
    help: 'The age of the events when they are delivered to a webhook, by the kind of event.',
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
