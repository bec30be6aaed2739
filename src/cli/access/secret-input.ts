import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { UsageError } from '../failure.js';
import type { Terminal } from '../terminal.js';

/** Asks without echo on a terminal; otherwise takes the first line of standard input. */
export async function readSecret(terminal: Terminal, question: string): Promise<string> {
  const secret = terminal.inputIsTty ? await askWithoutEcho(terminal, question) : await readFirstLine(terminal);
  if (secret.trim() === '') throw new UsageError('The secret is empty.', 'Type it, or pipe it in.');
  return secret.trim();
}

async function askWithoutEcho(terminal: Terminal, question: string): Promise<string> {
  await terminal.err.write(question);
  // Readline edits the line; what it would echo goes nowhere.
  const nowhere = new Writable({ write: (_piece, _encoding, done) => done() });
  const lines = createInterface({ input: process.stdin, output: nowhere, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve);
      lines.once('close', () => reject(new UsageError('No secret was given.')));
    });
  } finally {
    lines.close();
    await terminal.err.write('\n');
  }
}

async function readFirstLine(terminal: Terminal): Promise<string> {
  let text = '';
  for await (const piece of terminal.input) {
    text += typeof piece === 'string' ? piece : new TextDecoder().decode(piece);
    if (text.includes('\n')) break;
  }
  return text.split('\n')[0] ?? '';
}
