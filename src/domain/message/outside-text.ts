// Text from outside, made harmless for what will read it next. What customers and handsets write is theirs and is stored as it
// came; these are for the moment it leaves for a terminal or a spreadsheet.

/** Control characters and what turns the direction of writing around, except tabs and line breaks. */
const DRIVES_A_TERMINAL = /(?![\t\n\r])[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const IS_NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/** Spreadsheets take a cell that begins so for a formula and compute it, in some countries also by the wide characters. */
const BEGINS_A_FORMULA = /^(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/;

/** The same behind what a spreadsheet of another country may take for the end of a cell or a row. */
const FORMULA_WITHIN = /([;|\t\r\n]\s*)(?=[=+\-@＝＋－＠])/g;

/** One line, without anything that a terminal obeys. */
export function cleanLine(text: string): string {
  return text.replace(/[\t\n\r]+/g, ' ').replace(DRIVES_A_TERMINAL, ' ');
}

/** JSON that a terminal obeys nowhere, and that reads back as the same. */
export function escapeControls(json: string): string {
  return json.replace(DRIVES_A_TERMINAL, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/**
 * A cell that is shown as it is: an apostrophe in front keeps a spreadsheet from computing it. Numbers stay numbers, also
 * those of phones with their plus sign. A text that begins with an apostrophe gets another one, so that taking the first
 * away from every cell that has one gives back what was written, save for what stands behind a semicolon, a bar, a tab or a
 * line break within: a spreadsheet that splits cells there would compute it, so it is guarded too. JSON has every text exactly.
 */
export function guardCell(text: string): string {
  const clean = text.replace(DRIVES_A_TERMINAL, ' ').replace(FORMULA_WITHIN, "$1'");
  const isGuarded = clean.startsWith("'") || (BEGINS_A_FORMULA.test(clean) && !IS_NUMBER.test(clean));
  return isGuarded ? `'${clean}` : clean;
}
