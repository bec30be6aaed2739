// What the pipeline counts, beside the figures of HTTP and of the process. docs/metrics.md lists them all.

import { Counter, Gauge, type Registry } from 'prom-client';
import type { ChannelDesk, ChannelObserver } from './pipeline/channel-desk.js';

export interface PipelineMetrics {
  observerOf(channelNo: string): ChannelObserver;
  countRecorded(happenings: number): void;
  setImbalances(count: number): void;
}

export function makePipelineMetrics(
  registry: Registry,
  look: { readonly waitingRequests: () => number; readonly desks: () => readonly ChannelDesk[] },
): PipelineMetrics {
  const registers = [registry];
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
  return {
    observerOf: (channel) => ({
      outcome: (outcome) => parts.inc({ channel, outcome }),
      feedback: (event) => feedback.inc({ channel, event }),
    }),
    countRecorded(happenings) {
      transactions.inc();
      recorded.inc(happenings);
    },
    setImbalances: (count) => imbalances.set(count),
  };
}
