// A pasted list or a CSV file, taken apart into rows and columns. No I/O, so that tests reach it.

export interface RecipientTable {
  /** The names of the columns: those of the first line where it is a heading, else A, B, C … */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Which column has the numbers. */
  readonly phoneColumn: number;
}

const SEPARATORS = [',', ';', '\t'] as const;

/** A field that could be a number: mostly digits, at least five of them. */
function looksLikePhone(text: string): boolean {
  return /^\+?[\d\s().-]{5,}$/.test(text.trim()) && text.replaceAll(/\D/g, '').length >= 5;
}

function chooseSeparator(line: string): string {
  const counts = SEPARATORS.map((separator) => line.split(separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** Takes a CSV text apart, quotes and line ends inside of them included. */
export function splitCsv(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let field = '';
  let isQuoted = false;
  const endField = () => {
    row.push(field.trim());
    field = '';
  };
  const endRow = () => {
    endField();
    if (row.some((one) => one !== '')) rows.push(row);
    row = [];
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (isQuoted) {
      if (char !== '"') field += char;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (char === '"' && field.trim() === '') {
      field = '';
      isQuoted = true;
    } else if (char === separator) endField();
    else if (char === '\n') endRow();
    else if (char !== '\r') field += char;
  }
  endRow();
  return rows;
}

export function readRecipients(text: string): RecipientTable {
  // A mark that spreadsheets put at the beginning is no part of the first field.
  const clean = text.replace(/^\uFEFF/, '');
  const [firstLine = ''] = clean.split('\n');
  const all = splitCsv(clean, chooseSeparator(firstLine));
  const first = all[0] ?? [];
  // Numbers that stand in one line, separated by commas, are a list and not one row.
  if (all.length === 1 && first.length > 1 && first.every(looksLikePhone)) {
    return { columns: ['A'], rows: first.map((phone) => [phone]), phoneColumn: 0 };
  }
  const hasHeading = all.length > 1 && !first.some(looksLikePhone) && (all[1] ?? []).some(looksLikePhone);
  const rows = hasHeading ? all.slice(1) : all;
  const width = Math.max(1, ...rows.slice(0, 100).map((row) => row.length));
  const columns = Array.from(
    { length: width },
    (_, index) => (hasHeading ? first[index] : undefined) || String.fromCharCode(65 + (index % 26)),
  );
  const sample = rows.slice(0, 20);
  const scores = columns.map((_, index) => sample.filter((row) => looksLikePhone(row[index] ?? '')).length);
  return { columns, rows, phoneColumn: Math.max(0, scores.indexOf(Math.max(...scores))) };
}

/** The list with one of its numbers written otherwise, wherever it stands whole. */
export function replacePhone(text: string, phone: string, meant: string): string {
  const whole = phone.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replaceAll(new RegExp(`(?<![\\d+])${whole}(?!\\d)`, 'g'), () => meant);
}
