// Where each code is explained. Every code that stands alone between backquotes, in a guide, a table or a description, leads
// there; a word that is also the name of a field or an ordinary word does not.

import { FAULT_CODES } from '#src/domain/fault/fault.js';
import { RECEIPT_CODES } from '#src/domain/record/receipt-codes.js';
import { RECEIPT_RESULTS } from '#src/domain/record/records.js';
import { STAGES } from '#src/domain/task/stages.js';
import type { Language } from '#src/http/docs/language.js';
import { problemCatalogue } from '#src/http/problem/problem.js';
import { localizePath } from './languages.js';

const ERRORS = '/docs/reference/errors';
const RECEIPTS = '/docs/reference/receipt-codes';
const STATES = '/docs/state-machine';

/** By what the code is: the same word can be both a result and an ordinary word, and the field it stands in tells. */
export const CODE_PAGES = {
  problem: addressesOf(ERRORS, Object.keys(problemCatalogue)),
  fault: addressesOf(ERRORS, FAULT_CODES),
  receipt: addressesOf(RECEIPTS, Object.keys(RECEIPT_CODES)),
  result: addressesOf(RECEIPTS, RECEIPT_RESULTS),
  stage: addressesOf(STATES, STAGES),
} as const;

/** `type`, `format` and their like are fields more often than codes; those of two words are never anything else. */
const IN_PROSE = new Map([
  ...[...CODE_PAGES.fault].filter(([code]) => code.includes('_')),
  ...CODE_PAGES.result,
  ...CODE_PAGES.receipt,
  ...CODE_PAGES.problem,
  ...CODE_PAGES.stage,
]);

export function findCode(text: string, language: Language): string | undefined {
  const address = IN_PROSE.get(text);
  return address === undefined ? undefined : localizePath(address, language);
}

/** Which codes the values of a field of an answer are. */
export function findCodeOfField(field: string, value: string): string | undefined {
  if (field === 'stage') return CODE_PAGES.stage.get(value);
  if (field === 'result') return CODE_PAGES.result.get(value);
  if (field !== 'code') return undefined;
  return CODE_PAGES.problem.get(value) ?? CODE_PAGES.receipt.get(value) ?? CODE_PAGES.fault.get(value);
}

function addressesOf(page: string, codes: readonly string[]): ReadonlyMap<string, string> {
  return new Map(codes.map((code) => [code, `${page}#${code}`]));
}
