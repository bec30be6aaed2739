/** A line for whoever runs the tests: the seed, and figures that no assertion shows. */
export function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
