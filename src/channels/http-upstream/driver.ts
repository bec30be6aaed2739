import { defineDriver, type MetricDefinition } from '../driver.js';
import { readCallback } from './callbacks.js';
import { checkHttpConfig } from './check.js';
import { HttpConfigSchema } from './config.js';
import { httpFieldsZh } from './fields-zh.js';
import { openHttpChannel } from './http-channel.js';

const METRICS: readonly MetricDefinition[] = [
  { name: 'window_in_flight', type: 'gauge', help: 'Requests that wait for their answer.' },
  { name: 'window_size', type: 'gauge', help: 'How many requests may wait for their answer at once.' },
  {
    name: 'submit_latency_seconds',
    type: 'histogram',
    help: 'Time from a request to its answer.',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  },
];

export const httpDriver = defineDriver({
  kind: 'http',
  name: 'HTTP',
  config: HttpConfigSchema,
  refine: checkHttpConfig,
  zh: { name: 'HTTP 接口', fields: httpFieldsZh },
  traits: { alphabet: 'gsm7', isWhole: true },
  messageIdFormat: 'exact',
  metrics: METRICS,
  readCallback,
  open(config, deps) {
    const [inFlight, size, latency] = METRICS.map(({ name }) => deps.meter(name));
    return openHttpChannel(config, {
      ...deps,
      observer: {
        inFlight(count, places) {
          inFlight?.(count);
          size?.(places);
        },
        answered: (latencyMs) => latency?.(latencyMs / 1000),
      },
    });
  },
});
