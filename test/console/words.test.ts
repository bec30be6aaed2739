import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import * as shownRoles from '../../packages/console/src/api/roles.js';
import { allWords, fillWords } from '../../packages/console/src/words/all-words.js';
import { codeWords } from '../../packages/console/src/words/code-words.js';
import { faultWords } from '../../packages/console/src/words/fault-words.js';
import { problemWords } from '../../packages/console/src/words/problem-words.js';
import { reasonWords } from '../../packages/console/src/words/reason-words.js';
import { refusalSentences } from '../../packages/console/src/words/refusal-sentences.js';
import type { Say } from '../../packages/console/src/words/say.js';
import { sayDuration } from '../../packages/console/src/words/say-duration.js';
import { sayInChinese } from '../../packages/console/src/words/say-in-chinese.js';
import { sayAdvice, sayCode, sayReason } from '../../packages/console/src/words/say-reason.js';
import { CHANNEL_KINDS } from '../../src/channels/registry.js';
import { SmppConfigSchema } from '../../src/channels/smpp/config.js';
import { PERMISSIONS, rolesWith } from '../../src/domain/access/permissions.js';
import { ChannelFields } from '../../src/domain/entities/channel.js';
import { CredentialFields } from '../../src/domain/entities/credential.js';
import { CustomerFields } from '../../src/domain/entities/customer.js';
import { FirmFields } from '../../src/domain/entities/firm.js';
import { describeReceipt, RECEIPT_CODES } from '../../src/domain/outcome/receipt-codes.js';
import { checkFields } from '../../src/domain/request/check-fields.js';
import { FAULT_CODES } from '../../src/domain/request/fault.js';
import { problemCatalogue } from '../../src/http/problem.js';
import { checkout } from '../support/service-process.js';

const entries = Object.entries(allWords).map(([word, [english, chinese]]) => ({ word, english, chinese }));

/** The names of what is filled in; a choice by a count names the count. */
function findNames(text: string): string[] {
  return [...new Set([...text.matchAll(/\{(\w+)/g)].map(([, name = '']) => name))].sort();
}

test('every setting of a channel is explained in Chinese, too', () => {
  const settings = CHANNEL_KINDS.flatMap(({ fields }) => fields);
  for (const { description_zh } of settings) expect(description_zh).toMatch(/[\u4e00-\u9fff].*。$/);
});

test('every end of a number is explained, in English as the service itself explains it', () => {
  const results = ['delivered', 'undelivered', 'expired', 'rejected'] as const;
  const ownWords = results.map((result) => [result, describeReceipt(result, null)]);
  const reasons = Object.fromEntries([...Object.entries(RECEIPT_CODES), ...ownWords]);
  const said = Object.entries(reasonWords).map(([word, [english]]) => [word.replace('reason.', ''), english]);
  expect(Object.fromEntries(said)).toEqual(reasons);
});

test('every code of the service, and every one that is explained, says what to do about it or that all is well', () => {
  const explained = Object.keys(codeWords).filter((word) => word.startsWith('code.'));
  const codes = [...Object.keys(RECEIPT_CODES), ...explained.map((word) => word.replace('code.', ''))];
  const advised = Object.keys(codeWords).filter((word) => word.startsWith('advice.'));
  const unfinished = ['DELIVRD', 'ACCEPTD', 'ENROUTE', 'SCHEDULED'];
  const words = ['ask', 'what'];
  const wanted = codes.filter((code) => !unfinished.includes(code) && !words.includes(code));
  expect(advised.map((word) => word.replace('advice.', '')).sort()).toEqual(wanted.sort());
});

test('a code of an upstream is known with and without the error behind it', () => {
  const say: Say = (word) => allWords[word][0];
  expect(sayCode(say, 'UNDELIV:045')).toBe(sayCode(say, 'UNDELIV'));
  expect(sayAdvice(say, 'UNDELIV:045')).toBe(codeWords['advice.UNDELIV'][0]);
  const ownCode = { code: 'MK:0012', result: 'undelivered', description: 'as the service says it' } as const;
  expect(sayCode(say, ownCode.code)).toBeUndefined();
  expect(sayReason(say, ownCode)).toBe(reasonWords['reason.undelivered'][0]);
});

test('every refusal of the service is said, in English as the service itself says it', () => {
  const titles = Object.entries(problemCatalogue).map(([code, { title }]) => [`problem.${code}`, title]);
  const said = Object.entries(problemWords).map(([word, [english]]) => [word, english]);
  expect(Object.fromEntries(said)).toEqual(Object.fromEntries(titles));
});

/** Sentences of the service that say why it refuses, as they stand in its code, with X for what is filled in. */
function findRefusals(): string[] {
  const called = /(?:new Problem\(\s*'\w+',|unavailable\(|malformed\(|refuse\((?:task,)?)\s*(['`])(.+?)\1/gs;
  const returned = /return (['`])(The .+?|Today .+?)\1;/gs;
  const http = join(checkout, 'src/http');
  const routes = readdirSync(http, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(http, name));
  const moves = join(checkout, 'src/domain/task/task-moves.ts');
  const freeze = join(checkout, 'src/domain/money/freeze.ts');
  const read = (files: string[], pattern: RegExp) =>
    files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, , text = '']) => text));
  return [...read([...routes, moves], called), ...read([freeze], returned)].map((text) =>
    text.replaceAll(/\$\{[^}]*\}/g, 'X'),
  );
}

test('why the service refuses is said in Chinese, too', () => {
  const sentences = findRefusals();
  expect(sentences.length).toBeGreaterThan(50);
  const unsaid = sentences.filter((sentence) => !/\p{Script=Han}/u.test(sayInChinese(sentence) ?? ''));
  expect([...new Set(unsaid)]).toEqual([]);
  expect(sayInChinese('A completed task cannot be cancelled any more.')).toBe('任务处于“已完成”阶段，不能再取消。');
});

test('nothing is said in Chinese that the service does not say', () => {
  const sentences = findRefusals();
  const shapeOf = (text: string) => text.replaceAll(/\{\w+\}/g, 'X');
  const served = new Set(
    sentences.flatMap((text) => [text, text.replace('XX', 'X'), text.replace('XX', 'X and others')]),
  );
  const invented = refusalSentences.map(([english]) => shapeOf(english)).filter((shape) => !served.has(shape));
  expect(invented).toEqual([]);
});

test('every fault of a field is said', () => {
  expect(Object.keys(faultWords).sort()).toEqual(FAULT_CODES.map((code) => `fault.${code}`).sort());
});

test('what is wrong with a field that people fill in is said in Chinese, too', () => {
  const customer = { name: '', currency: 'euro', unit_price: '0,05', credit_limit: '-1', requests_per_second: 0 };
  const bodies: readonly (readonly [TSchema, object])[] = [
    [CustomerFields, customer],
    [CustomerFields, { ...customer, name: 'x'.repeat(201), unit_price: 1, billing_mode: 'free', daily_limit: 'x' }],
    [CustomerFields, { name: 'a\tb', refund_on_failure: 'yes', requests_per_second: 'many' }],
    [FirmFields, { firm: 'a b', prefixes: ['0123'] }],
    [ChannelFields, { name: 'Carrier', kind: 'smpp', firms: [], parts_per_second: 0.5, config: {} }],
    [SmppConfigSchema, { host: '', port: 99_999, system_id: 'é', password: 'x'.repeat(65), window: 0 }],
    [CredentialFields, { ip_allow: ['here'], scopes: [] }],
  ];
  const messages = bodies.flatMap(([schema, body]) =>
    (checkFields(schema, body, { defaults: true }).faults ?? []).map(({ message }) => message),
  );
  expect(messages.length).toBeGreaterThan(20);
  const unsaid = messages.filter((message) => !/\p{Script=Han}/u.test(sayInChinese(message) ?? ''));
  expect([...new Set(unsaid)]).toEqual([]);
  expect(sayInChinese('must be from 1 to 65535')).toBe('须在 1 至 65535 之间');
  expect(sayInChinese('must be something else')).toBeUndefined();
});

test('what a role may not do names the roles that may, as the service has them', () => {
  const said = PERMISSIONS.map((permission) => [permission, shownRoles.rolesWith(permission)]);
  expect(said).toEqual(PERMISSIONS.map((permission) => [permission, rolesWith(permission)]));
});

/** What is called the same in both languages. */
const SAME = new Set(['app.name', 'session.apiKey', 'session.apiSecret']);

test('every word is said in both languages', () => {
  const unsaid = entries.filter(
    ({ word, english, chinese }) =>
      english.trim() === '' || /\p{Script=Han}/u.test(english) || (!SAME.has(word) && !/\p{Script=Han}/u.test(chinese)),
  );
  expect(unsaid).toEqual([]);
});

test('both languages fill in the same', () => {
  const differing = entries.filter(({ english, chinese }) => findNames(english).join() !== findNames(chinese).join());
  expect(differing).toEqual([]);
});

test('no word is said that nobody reads', () => {
  const folder = join(checkout, 'packages/console/src');
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('-words.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  // A word that is chosen by a value is written with its beginning only: `stage.${stage}`, or sayValue(say, 'stage', …).
  const unused = entries
    .map(({ word }) => word)
    .filter((word) => {
      const beginnings = word.split('.').map((_, index, pieces) => pieces.slice(0, index).join('.'));
      const isChosen = beginnings.some(
        (beginning) => sources.includes(`\`${beginning}.\${`) || sources.includes(`'${beginning}', `),
      );
      return !sources.includes(`'${word}'`) && !isChosen;
    });
  expect(unused).toEqual([]);
});

test('a duration is told in the largest unit that is not zero, in the words of the language', () => {
  const sayEnglish: Say = (word, values = {}) => fillWords(allWords[word][0], values);
  const sayChinese: Say = (word, values = {}) => fillWords(allWords[word][1], values);
  const told = [850, 1_500, 600_000, 5_400_000, 259_200_000].map((ms) => [
    sayDuration(sayEnglish, ms),
    sayDuration(sayChinese, ms),
  ]);
  expect(told).toEqual([
    ['850 ms', '850 毫秒'],
    ['1.5 s', '1.5 秒'],
    ['10 min', '10 分钟'],
    ['1.5 h', '1.5 小时'],
    ['3 d', '3 天'],
  ]);
  expect(sayInChinese('in good order; tried again in 2 s')).toMatch(/；2 秒后重试$/);
});

test('a count chooses between one and many', () => {
  expect(fillWords('{count} {count:number|numbers}', { count: 1 })).toBe('1 number');
  expect(fillWords('{count} {count:number|numbers}', { count: 12_345 })).toBe('12,345 numbers');
});
