// The list of cases in `sdks/conformance/cases`, as it is written.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkout } from '../../support/service-process.js';
import type { ProxyRule } from './faulty-proxy.js';

export interface Step {
  /** Waits until the service shows this task in this stage. */
  readonly before?: { readonly task_no: string; readonly stage: string };
  readonly proxy?: readonly ProxyRule[];
  readonly call: string;
  readonly with?: unknown;
  /** What the call gives, at least. */
  readonly gives?: unknown;
  /** The error it ends with, at least. */
  readonly fails?: unknown;
  /** All requests that went out, in order: method and path. */
  readonly requests?: readonly string[];
  /** Their targets, path and query; parameters in any order. */
  readonly targets?: readonly string[];
  /** What the bodies of the requests say, at least. */
  readonly bodies?: readonly unknown[];
  /** All requests with a body have the same one. */
  readonly same_body?: true;
  /** How long the client asked its clock to sleep. */
  readonly sleeps_ms?: readonly number[];
  /** Columns of the CSV that the call gives as `text`. */
  readonly csv?: Readonly<Record<string, readonly string[]>>;
  /** Lines of the NDJSON that the call gives as `text`. */
  readonly ndjson?: readonly unknown[];
  /** How many tasks the service has under these ids. */
  readonly tasks?: Readonly<Record<string, number>>;
}

export interface Case {
  readonly name: string;
  /** Options of the client, beside the usual ones. */
  readonly client?: Readonly<Record<string, unknown>>;
  readonly steps: readonly Step[];
}

const folder = join(checkout, 'sdks/conformance/cases');

/** By the file that they are in. */
export function readCases(): { readonly topic: string; readonly cases: readonly Case[] }[] {
  return readdirSync(folder)
    .sort()
    .map((file) => ({
      topic: file.replace('.json', ''),
      cases: JSON.parse(readFileSync(join(folder, file), 'utf8')) as Case[],
    }));
}

/**
 * Fills `{{name}}` in texts, `{{results.0.task.task_no}}` too. A text that is nothing but a name becomes the value
 * itself.
 */
export function fillIn(value: unknown, values: Readonly<Record<string, unknown>>): unknown {
  if (typeof value === 'string') return fillText(value, values);
  if (Array.isArray(value)) return value.map((item) => fillIn(item, values));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [String(fillText(key, values)), fillIn(item, values)]);
  return Object.fromEntries(entries);
}

function fillText(text: string, values: Readonly<Record<string, unknown>>): unknown {
  const whole = /^\{\{([^{}]+)\}\}$/.exec(text)?.[1];
  if (whole !== undefined) return find(whole, values);
  return text.replaceAll(/\{\{([^{}]+)\}\}/g, (_, name: string) => String(find(name, values)));
}

function find(name: string, values: Readonly<Record<string, unknown>>): unknown {
  if (name === 'any') return ANY;
  const count = /^phones:(\d+)$/.exec(name)?.[1];
  if (count !== undefined) return listPhones(Number(count));
  let value: unknown = values;
  for (const key of name.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
  if (value === undefined) throw new Error(`No value for {{${name}}}`);
  return fillIn(value, values);
}

/** Anything but null. */
export const ANY = '{{any}}';

/** None of the test numbers: those end in another digit. */
function listPhones(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `139${String(at).padStart(7, '0')}0`);
}
