export type NumberFileProblem =
  | 'binary'
  | 'damaged_characters'
  | 'old_excel'
  | 'too_large'
  | 'unknown_encoding'
  | 'unreadable_workbook';

const SENTENCES: Readonly<Record<NumberFileProblem, string>> = {
  binary: 'The file is not text. Use a .csv, .txt or .xlsx file.',
  damaged_characters:
    'The file contains damaged characters (\uFFFD). Export it again from the original, as CSV UTF-8 or .xlsx.',
  old_excel: 'The file is an old or password-protected Excel workbook. Save it as .xlsx without a password, or as CSV.',
  too_large: 'The file is larger than 256 MiB. Split it.',
  unknown_encoding: 'The file is neither UTF-8, UTF-16 nor GB18030 text. Save it as CSV UTF-8 or .xlsx.',
  unreadable_workbook: 'The workbook cannot be read. Save it again as .xlsx, or as CSV.',
};

/** The file cannot be used. The message is a sentence for its owner. */
export class NumberFileError extends Error {
  override readonly name = 'NumberFileError';
  readonly problem: NumberFileProblem;

  constructor(problem: NumberFileProblem) {
    super(SENTENCES[problem]);
    this.problem = problem;
  }
}
