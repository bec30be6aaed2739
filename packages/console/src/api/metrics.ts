// The figures of the process that answers, from the text that Prometheus reads.

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function parseMetrics(text: string): readonly Sample[] {
  return text.split('\n').flatMap((line) => {
    const match = /^(\w+)(?:\{([^}]*)\})? (\S+)$/.exec(line);
    if (match === null) return [];
    const [, name = '', labels = '', value = ''] = match;
    const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', one = '']) => [key, one]);
    return [{ name, labels: Object.fromEntries(pairs), value: Number(value) }];
  });
}

export interface MetricsReading {
  readonly atMs: number;
  readonly samples: readonly Sample[];
}

export async function readMetrics(signal: AbortSignal): Promise<MetricsReading> {
  const response = await fetch('/metrics', { signal });
  if (!response.ok) throw new Error(`/metrics: ${response.status}`);
  return { atMs: Date.now(), samples: parseMetrics(await response.text()) };
}

/** The sum of a figure over all its labels, or over those that match. */
export function sumMetric(
  { samples }: MetricsReading,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  return samples
    .filter((sample) => sample.name === name)
    .filter((sample) => Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
}

/** How much a counter grew a second between two readings. A restart begins at nothing. */
export function rateOf(
  before: MetricsReading,
  now: MetricsReading,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  const seconds = (now.atMs - before.atMs) / 1_000;
  const grown = sumMetric(now, name, labels) - sumMetric(before, name, labels);
  return seconds <= 0 || grown < 0 ? 0 : grown / seconds;
}
