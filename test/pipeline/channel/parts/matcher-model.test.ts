// For any order of submissions, answers, losses and reports, and any number of restarts: each report
// is given to the part that the rules say, or waits. The rules are written out here a second time, in the plainest way, over
// a list of all parts and a list of all reports; nothing of the code is used to judge it.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Part, Report } from '../../../../src/channels/channel.js';
import { asTaskId } from '../../../../src/domain/id.js';
import type { Candidate } from '../../../../src/domain/message/part-matching.js';
import { createPartMemory } from '../../../../src/pipeline/channel/parts/part-memory.js';
import {
  createQueuedPosition,
  type PartPosition,
  type Sendable,
} from '../../../../src/pipeline/channel/parts/part-state.js';
import {
  createReportMatcher,
  type ReportLookup,
  type ReportMatcher,
  type StoredParts,
} from '../../../../src/pipeline/channel/parts/report-matcher.js';
import type { UnmatchedReport } from '../../../../src/pipeline/channel/parts/unmatched-reports.js';
import { createMoves } from '../../../support/model/channel-parts.js';
import { chunkOf } from '../../../support/model/chunk-of.js';

const PHONES = ['8613800138000', '8613900139000'] as const;
const PARTS = 6;
/** Some are one id in another spelling, some look like another one in another base. */
const IDS = ['4096', '1000', 'a1', '00A1', '161', '0', '00'] as const;

const aPart = fc.nat(PARTS - 1);
const command = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('submit'), part: aPart }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('accept'), part: aPart, id: fc.constantFrom(...IDS) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('lose'), part: aPart }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('report'),
      id: fc.constantFrom('', ...IDS),
      names: fc.option(aPart, { nil: undefined, freq: 3 }),
      phone: fc.option(fc.constantFrom(...PHONES), { nil: undefined, freq: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart') }) },
);
type Command = typeof command extends fc.Arbitrary<infer Each> ? Each : never;

// The model: what is known of each part, and of each report.

interface ModelPart {
  readonly no: number;
  readonly phone: string;
  state: 'unsent' | 'flying' | 'accepted' | 'lost' | 'reported';
  id: string;
  at: number;
}

interface ModelReport {
  readonly no: number;
  readonly id: string;
  readonly names: number | undefined;
  readonly phone: string | undefined;
  readonly at: number;
  part: number | undefined;
}

const plain = (id: string) => (id === '' ? '' : id.toLowerCase().replace(/^0+/, '') || '0');
const isDecimal = (id: string) => /^[0-9]+$/.test(id);
const isHexadecimal = (id: string) => /^[0-9a-f]+$/i.test(id);

function isSpelledOtherwise(one: string, other: string): boolean {
  const reads = (hex: string, decimal: string) =>
    isHexadecimal(hex) && isDecimal(decimal) && Number.parseInt(hex, 16) === Number.parseInt(decimal, 10);
  return plain(one) !== plain(other) && (reads(one, other) || reads(other, one));
}

function createModel() {
  const parts = Array.from({ length: PARTS }, (_, no): ModelPart => {
    const phone = PHONES[no % PHONES.length] ?? '';
    return { no, phone, state: 'unsent', id: '', at: 0 };
  });
  const reports: ModelReport[] = [];
  const waiting = () => reports.filter(({ part }) => part === undefined);
  const isKnown = ({ state }: ModelPart) => state === 'accepted' || state === 'lost' || state === 'reported';
  const newest = (some: ModelPart[]) => [...some].sort((a, b) => b.at - a.at)[0];
  const isFlyingTo = (phone: string) => parts.some((part) => part.state === 'flying' && part.phone === phone);
  const lostTo = (phone: string) => parts.filter((part) => part.state === 'lost' && part.phone === phone);

  const hasId = (report: ModelReport, part: ModelPart) => report.id !== '' && plain(report.id) === plain(part.id);
  const isExact = (report: ModelReport, part: ModelPart) =>
    hasId(report, part) && (report.phone === undefined || report.phone === part.phone);
  const isGuess = (report: ModelReport, part: ModelPart) =>
    report.id !== '' && part.id !== '' && isSpelledOtherwise(report.id, part.id) && report.phone === part.phone;

  /** Our reference; the exact id; another spelling; a lost part by its number. */
  const find = (report: ModelReport): ModelPart | undefined => {
    if (report.names !== undefined) return parts.find((part) => part.no === report.names && isKnown(part));
    const known = parts.filter(isKnown);
    const byId =
      newest(known.filter((part) => isExact(report, part))) ?? newest(known.filter((p) => isGuess(report, p)));
    if (byId !== undefined || report.phone === undefined || isFlyingTo(report.phone)) return byId;
    const lost = lostTo(report.phone);
    return lost.length === 1 ? lost[0] : undefined;
  };

  /** A report that waited is taken for a lost part only where no other can be its. */
  const isOnly = (report: ModelReport, part: ModelPart) => {
    const others = waiting().filter(
      (other) => other.names === undefined && other.phone === part.phone && other.at >= part.at,
    );
    return others.length === 1 && others[0] === report;
  };

  const findLate = (report: ModelReport): ModelPart | undefined => {
    const part = find(report);
    const isSure = part?.state !== 'lost' || report.names === part.no || hasId(report, part) || isOnly(report, part);
    return isSure ? part : undefined;
  };

  const give = (report: ModelReport, part: ModelPart | undefined): void => {
    if (part === undefined) return;
    report.part = part.no;
    if (part.state === 'lost') {
      part.state = 'reported';
      part.id = report.id;
    }
  };

  return {
    parts,
    reports,
    /** Ids are used again for later messages, never for earlier ones. */
    mayAccept: (part: ModelPart, id: string) =>
      part.state === 'flying' && !parts.some((other) => other.at > part.at && plain(other.id) === plain(id)),
    report(report: ModelReport) {
      reports.push(report);
      give(report, find(report));
    },
    accept(part: ModelPart, id: string) {
      part.state = 'accepted';
      part.id = id;
      for (const report of waiting()) {
        const isNamed = report.names === part.no;
        const isById = report.names === undefined && (isExact(report, part) || isGuess(report, part));
        if (isNamed || isById) give(report, part);
      }
    },
    lose(part: ModelPart) {
      part.state = 'lost';
      // The certain ones first: the part takes the id of the first that it is given.
      const named = waiting().filter((report) => report.names === part.no);
      const only = waiting().filter((report) => report.names === undefined && isOnly(report, part));
      const found = [...named, ...only].map((report) => [report, findLate(report)] as const);
      for (const [report, its] of found) give(report, its);
    },
    restart() {
      for (const part of parts) if (part.state === 'flying') part.state = 'lost';
      // All are looked for at once: what one of them settles is not known when the next is judged.
      const found = waiting().map((report) => {
        const part = find(report);
        const isById = part !== undefined && (isExact(report, part) || isGuess(report, part));
        return [report, part, report.names !== undefined || isById] as const;
      });
      for (const [report, part, isSure] of found) {
        if (part !== undefined && (isSure || isOnly(report, part))) give(report, part);
      }
    },
  };
}

// The matcher, on a database that is a list.

function createPart(no: number): Sendable {
  const to = PHONES[no % PHONES.length] ?? '';
  const numbers = { seq: [no], phone: [to], to: [to], text: 'Hello', parts: [1] };
  const chunk = chunkOf({ taskId: asTaskId(7n), chunkNo: no, numbers });
  const part: Part = { reference: `1.7.${no}.1`, to, from: '1069', text: 'Hello', encoding: 'gsm7', part: 1, parts: 1 };
  return { part, position: createQueuedPosition(chunk, 0, 1) };
}

interface Row {
  readonly no: number;
  readonly position: PartPosition;
  messageId: string | undefined;
  isLost: boolean;
}

function createWorld(forgets: boolean) {
  const all = Array.from({ length: PARTS }, (_, no) => createPart(no));
  const rows: Row[] = [];
  const kept = new Map<bigint, { report: Report; receivedAt: number }>();
  const numbers = new Map<Report, number>();
  const given = new Map<number, number>();
  let lookups = 0;
  let now = 0;

  const candidatesOf = ({ messageId, reference, phone }: ReportLookup): Candidate<PartPosition>[] => {
    const found: Candidate<PartPosition>[] = [];
    for (const { no, position, messageId: id, isLost } of [...rows].sort(
      (a, b) => b.position.submittedAt - a.position.submittedAt,
    )) {
      const to = PHONES[no % PHONES.length] ?? '';
      if (reference === all[no]?.part.reference) found.push({ how: 'reference', to, found: position });
      if (messageId !== '' && id !== undefined && id !== '') {
        if (plain(messageId) === plain(id)) found.push({ how: 'exact', to, found: position });
        else if (isSpelledOtherwise(messageId, id)) found.push({ how: 'other_spelling', to, found: position });
      }
      if (isLost && phone === to && reference === undefined) found.push({ how: 'lost_answer', to, found: position });
    }
    return found;
  };

  let nextId = 1n;
  const stored: StoredParts = {
    async find(questions) {
      lookups += 1;
      return new Map(questions.map((question) => [question, candidatesOf(question)]));
    },
    store: (reports) =>
      reports.map((report) => {
        const id = nextId++;
        kept.set(id, { report, receivedAt: now });
        return Promise.resolve(id);
      }),
    awaitRecorded: async () => {},
  };

  const settle = (report: Report, { chunk }: PartPosition): void => {
    const row = rows.find(({ no }) => no === chunk.numbers.seq[0]);
    given.set(numbers.get(report) ?? -1, row?.no ?? -1);
    if (row?.isLost === true) Object.assign(row, { isLost: false, messageId: report.messageId });
    matcher.forget(report.messageId);
  };

  const open = (waiting: readonly UnmatchedReport[] = []): ReportMatcher => {
    const memory = createPartMemory(1e6);
    if (forgets) memory.remember = () => {};
    const opened = createReportMatcher({ channelId: 1n, messageIdFormat: 'auto', memory, stored, unmatched: waiting });
    opened.onFound(({ report, stored: id }, sent) => {
      void Promise.resolve(id).then((reportId) => kept.delete(reportId));
      settle(report, sent);
    });
    return opened;
  };
  let matcher = open();
  const moves = createMoves(() => matcher);

  const record = (no: number, messageId: string | undefined, isLost: boolean): void => {
    const position = all[no]?.position;
    if (position !== undefined) rows.push({ no, position, messageId, isLost });
  };

  return {
    given,
    lookups: () => lookups,
    unmatchedReports: () => [...kept.values()].map(({ report }) => numbers.get(report)),
    tick: () => {
      now += 1;
      return now;
    },
    submit(no: number) {
      const part = all[no] ?? createPart(no);
      part.position.submittedAt = now;
      moves.submit(part);
    },
    accept(no: number, id: string) {
      const part = all[no] ?? createPart(no);
      record(no, id, false);
      moves.accept(part, id);
      moves.recordAcceptance(part);
    },
    async lose(no: number) {
      const part = all[no] ?? createPart(no);
      moves.lose(part);
      record(no, undefined, true);
      moves.recordLoss(part);
      await matcher.idle();
    },
    async report(no: number, id: string, names: number | undefined, phone: string | undefined) {
      const report: Report = {
        kind: 'report',
        messageId: id,
        ...(names === undefined ? {} : { reference: all[names]?.part.reference ?? '' }),
        ...(phone === undefined ? {} : { phone }),
        status: 'delivered',
        code: 'DELIVRD',
        ack: () => {},
        nack: () => {},
      };
      numbers.set(report, no);
      const recalled = matcher.recall(report);
      const { found } =
        recalled === undefined ? await matcher.match([report], now) : { found: new Map([[report, recalled]]) };
      for (const [each, sent] of found) settle(each, sent);
    },
    async restart(flying: readonly number[]) {
      for (const no of flying) record(no, undefined, true);
      matcher = open([...kept].map(([id, entry]): UnmatchedReport => ({ ...entry, stored: id })));
      await matcher.rematch();
      await matcher.idle();
    },
  };
}

async function run(commands: readonly Command[], forgets: boolean) {
  const model = createModel();
  const world = createWorld(forgets);
  for (const step of commands) {
    const now = world.tick();
    const part = 'part' in step ? model.parts[step.part] : undefined;
    if (step.kind === 'submit' && part?.state === 'unsent') {
      Object.assign(part, { state: 'flying', at: now });
      world.submit(part.no);
    } else if (step.kind === 'accept' && 'id' in step && part !== undefined && model.mayAccept(part, step.id)) {
      model.accept(part, step.id);
      world.accept(part.no, step.id);
    } else if (step.kind === 'lose' && part?.state === 'flying') {
      model.lose(part);
      await world.lose(part.no);
    } else if (step.kind === 'report' && 'names' in step) {
      const { id, names, phone } = step;
      const no = model.reports.length;
      model.report({ no, id, names, phone, at: now, part: undefined });
      await world.report(no, id, names, phone);
    } else if (step.kind === 'restart') {
      const flying = model.parts.filter(({ state }) => state === 'flying').map(({ no }) => no);
      model.restart();
      await world.restart(flying);
    }
    await new Promise((resolve) => setImmediate(resolve));
    const expected = model.reports.flatMap(({ no, part: its }) => (its === undefined ? [] : [[no, its]]));
    expect([...world.given].sort(([a], [b]) => a - b)).toEqual(expected);
    const unmatched = model.reports.filter(({ part: its }) => its === undefined).map(({ no }) => no);
    expect(world.unmatchedReports()).toEqual(unmatched);
  }
  return { model, world };
}

test('every report is given to the part that the rules say, or waits for one, over any number of starts', async () => {
  let matched = 0;
  let waited = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(command, { minLength: 5, maxLength: 40 }),
      // A memory that has lost every part, and one that has lost none.
      fc.boolean(),
      async (commands, forgets) => {
        const { model } = await run(commands, forgets);
        matched += model.reports.filter(({ part }) => part !== undefined).length;
        waited += model.reports.filter(({ part }) => part === undefined).length;
      },
    ),
    { numRuns: 1000 },
  );
  // Both happen, or nothing was shown.
  expect(Math.min(matched, waited)).toBeGreaterThan(500);
});

test('the database is not asked for what memory knows', async () => {
  const world = createWorld(false);
  for (let no = 0; no < PARTS; no++) {
    world.submit(no);
    world.accept(no, `id-${no}`);
    await world.report(no, `id-${no}`, no % 2 === 0 ? no : undefined, PHONES[no % PHONES.length]);
  }
  expect([world.given.size, world.lookups()]).toEqual([PARTS, 0]);
});
