// Rows of CSV as RFC 4180 has them, for spreadsheets and programs alike.

import { guardCell } from './message/outside-text.js';

/** What needs neither quotes nor a guard, which is nearly every cell: the rest of the rules is not worth asking for it. */
const PLAIN = /^[0-9A-Za-z][ !#-+.-:<-{}~-]*$/;

export function formatCsvRow(cells: readonly string[]): string {
  return `${cells.map(formatCell).join(',')}\r\n`;
}

/** Cells that no spreadsheet computes; `guardCell` says how they are read back. */
export function formatGuardedRow(cells: readonly string[]): string {
  return `${cells.map(formatGuardedCell).join(',')}\r\n`;
}

export function formatGuardedCell(cell: string): string {
  return PLAIN.test(cell) ? cell : formatCell(guardCell(cell));
}

function formatCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Texts for cells: nothing for null, words of an array with a space between them, JSON for what has members. */
export function writeCell(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(writeCell).join(' ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
