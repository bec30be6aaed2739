// A workbook keeps dates, percentages and amounts as plain numbers with a format beside them. Sending `45000` for a date or `0.5` for
// 50 % would mislead, so numbers are written as the format shows them, without currency signs and digit grouping.

import { findElements } from './xml.js';

/** Formats that workbooks name by number without spelling them out (ECMA-376, 18.8.30). */
const BUILT_IN: Readonly<Record<number, string>> = {
  1: '0',
  2: '0.00',
  3: '0',
  4: '0.00',
  9: '0%',
  10: '0.00%',
  22: 'y-m-d h:mm',
  37: '0',
  38: '0',
  39: '0.00',
  40: '0.00',
};

function findBuiltIn(id: number): string {
  const isDate = (id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id === 36 || (id >= 50 && id <= 58);
  const isTime = (id >= 18 && id <= 21) || (id >= 32 && id <= 35) || (id >= 45 && id <= 47);
  return BUILT_IN[id] ?? (isDate ? 'y-m-d' : isTime ? 'h:mm' : 'General');
}

export type FormatCell = (value: number, style: number) => string;

/** What a spreadsheet lets people write. */
const MAX_FORMAT = 255;

export function createCellFormatter(styles: string, startsIn1904: boolean): FormatCell {
  const custom = new Map<number, string>();
  for (const { attributes } of findElements(styles, 'numFmt')) {
    custom.set(Number(attributes.numFmtId), attributes.formatCode ?? 'General');
  }
  const sections: string[] = [];
  for (const { content } of findElements(styles, 'cellXfs')) {
    for (const { attributes } of findElements(content, 'xf')) {
      const id = Number(attributes.numFmtId ?? 0);
      sections.push(findSection(custom.get(id) ?? findBuiltIn(id)));
    }
  }
  return (value, style) => formatNumber(value, sections[style] ?? 'General', startsIn1904);
}

/** The first section is for positive numbers; quoted text, colours, locales and escaped characters show no value. */
function findSection(format: string): string {
  const [section = ''] = format
    .slice(0, MAX_FORMAT)
    .replaceAll(/"[^"]*"|\[[^\]]*\]|\\.|_./g, '')
    .split(';');
  return section;
}

function formatNumber(value: number, section: string, startsIn1904: boolean): string {
  if (/[ymdhs]/i.test(section) && !/general/i.test(section)) return formatDate(value, section, startsIn1904);
  const decimals = /0\.(0+)/.exec(section)?.[1]?.length;
  if (section.includes('%')) return `${(value * 100).toFixed(decimals ?? 0)}%`;
  if (decimals !== undefined) return value.toFixed(decimals);
  // Fifteen digits are what a spreadsheet shows; the rest is noise of binary fractions.
  const shown = Number(value.toPrecision(15));
  return Number.isInteger(shown) ? BigInt(shown).toString() : String(shown);
}

const DAY_MS = 86_400_000;

function formatDate(value: number, section: string, startsIn1904: boolean): string {
  // Day 0 is 30 December 1899 after the leap day of 1900 that spreadsheets count in error.
  const start = startsIn1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  const iso = new Date(start + Math.round((value * DAY_MS) / 1000) * 1000).toISOString();
  const time = /s/i.test(section) ? iso.slice(11, 19) : iso.slice(11, 16);
  const hasTime = /[hs]/i.test(section);
  const hasDay = /[yd]/i.test(section) || !hasTime;
  return [hasDay ? iso.slice(0, 10) : '', hasTime ? time : ''].filter((part) => part !== '').join(' ');
}
