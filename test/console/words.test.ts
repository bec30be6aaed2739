import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SCOPES_BY_ROLE } from '../../packages/console/src/api/customer-scopes.js';
import * as shownRoles from '../../packages/console/src/api/roles.js';
import { allWords, fillWords } from '../../packages/console/src/words/all-words.js';
import type { Say } from '../../packages/console/src/words/say.js';
import { sayDuration } from '../../packages/console/src/words/say-duration.js';
import { prepareErrors, sayError } from '../../packages/console/src/words/say-error.js';
import { sayAdvice, sayCode, sayReason } from '../../packages/console/src/words/say-reason.js';
import { codeWords } from '../../packages/console/src/words/tables/code-words.js';
import { faultSentences } from '../../packages/console/src/words/tables/fault-sentences.js';
import { problemSentences } from '../../packages/console/src/words/tables/problem-sentences.js';
import { reasonWords } from '../../packages/console/src/words/tables/reason-words.js';
import { CHANNEL_KINDS } from '../../src/channels/registry.js';
import { CUSTOMER_ROLES, PERMISSIONS, rolesWith, scopesOfRole } from '../../src/domain/access/permissions.js';
import { errorText } from '../../src/domain/fault/error-text.js';
import { FAULT_TEXTS } from '../../src/domain/fault/fault-texts.js';
import { PROBLEM_TEXTS } from '../../src/domain/fault/problem-texts.js';
import { describeReceipt, RECEIPT_CODES } from '../../src/domain/record/receipt-codes.js';
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
  const said = Object.entries(allWords).flatMap(([word, [english]]) =>
    word.startsWith('reason.') ? [[word.replace('reason.', ''), english]] : [],
  );
  expect(Object.fromEntries(said)).toEqual(reasons);
});

test('every code of the service, and every one that is explained, says what to do about it or that all is well', () => {
  const explained = Object.keys(codeWords).filter((word) => word.startsWith('code.'));
  const codes = [...Object.keys(RECEIPT_CODES), ...explained.map((word) => word.replace('code.', ''))];
  const advised = Object.keys(allWords).filter((word) => word.startsWith('advice.'));
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

test('a sentence of the service is said in Chinese by its key, with its parameters and words', async () => {
  await prepareErrors('zh');
  const range = { key: 'not_between', params: { min: 1, max: 65_535 }, text: 'must be from 1 to 65535' };
  expect(sayError('zh', range)).toBe('须在 1 至 65,535 之间');
  expect(sayError('en', range)).toBe('must be from 1 to 65535');
  const stage = errorText('stage_cannot_cancel', { stage: 'completed' });
  expect(sayError('zh', stage)).toBe('任务处于“已完成”阶段，不能再取消。');
});

test('a sentence of a later service stays as it is', () => {
  expect(sayError('zh', { key: 'made_up_later', params: {}, text: 'must be blue' })).toBe('must be blue');
});

test('every sentence of the service has one in Chinese that fills in nothing else', () => {
  const chinese: Readonly<Record<string, string>> = { ...faultSentences, ...problemSentences };
  const english: Readonly<Record<string, string>> = { ...FAULT_TEXTS, ...PROBLEM_TEXTS };
  expect(Object.keys(chinese).sort()).toEqual(Object.keys(english).sort());
  for (const [key, text] of Object.entries(chinese)) {
    expect(text, key).toMatch(/\p{Script=Han}/u);
    const unknown = findNames(text).filter((name) => !findNames(english[key] ?? '').includes(name));
    expect(unknown, key).toEqual([]);
  }
});

test('what a role may not do names the roles that may, as the service has them', () => {
  const said = PERMISSIONS.map((permission) => [permission, shownRoles.rolesWith(permission)]);
  expect(said).toEqual(PERMISSIONS.map((permission) => [permission, rolesWith(permission)]));
});

test('the console calls for a user what the role may call, as the service has it', () => {
  expect(SCOPES_BY_ROLE).toEqual(Object.fromEntries(CUSTOMER_ROLES.map((role) => [role, scopesOfRole(role)])));
});

/** What is called the same in both languages. */
const SAME = new Set([
  'app.name',
  'customers.tab.credentials',
  'developers.keys',
  'session.apiKey',
  'session.apiSecret',
]);

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

/** Other words for what docs/reference/words.md and its Chinese page name. */
const OTHERS = {
  english: /\b(firms?|frozen|freez\w+|uplinks?|set aside|holds|marked unknown)\b/i,
  chinese: /消息|敏感词|状态报告|上行|API 密钥/,
};

test('each language has one word for each thing, also in the settings of channels', () => {
  const settings = CHANNEL_KINDS.flatMap(({ fields }) => fields.map((field) => field.description_zh));
  const stray = entries.filter(({ english }) => OTHERS.english.test(english.replaceAll(/\{[^}]*\}/g, '')));
  expect(stray).toEqual([]);
  expect([...entries.map(({ chinese }) => chinese), ...settings].filter((text) => OTHERS.chinese.test(text))).toEqual(
    [],
  );
});

test('every word is used', () => {
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

test('a duration is written in the largest unit that is not zero, in the words of the language', () => {
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
});

test('a space stands between Chinese and Latin, and not between two words in Chinese', () => {
  expect(fillWords('添加 {kind} 通道', { kind: 'HTTP 接口' })).toBe('添加 HTTP 接口通道');
  expect(fillWords('添加 {kind} 通道', { kind: 'SMPP' })).toBe('添加 SMPP 通道');
  expect(fillWords('添加 {kind} 通道', { kind: '模拟' })).toBe('添加模拟通道');
  expect(fillWords('共 {count} 个', { count: 3 })).toBe('共 3 个');
  expect(fillWords('Add {kind} channel', { kind: '模拟' })).toBe('Add 模拟 channel');
});

test('a count chooses between one and many', () => {
  expect(fillWords('{count} {count:number|numbers}', { count: 1 })).toBe('1 number');
  expect(fillWords('{count} {count:number|numbers}', { count: 12_345 })).toBe('12,345 numbers');
});
