/** A line for the person who runs the tests: the seed, and figures that no assertion shows. */
export function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
