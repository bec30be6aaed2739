import type { ExitCode } from './exit-codes.js';
import { UsageError } from './failure.js';
import type { Terminal } from './terminal.js';

export interface OptionSpec {
  readonly type: 'string' | 'boolean';
  readonly summary: string;
  readonly short?: string;
  readonly multiple?: boolean;
  /** The placeholder of the value in the help, such as `NUMBER`. */
  readonly value?: string;
  /** The only values there are; also what completion offers. */
  readonly choices?: readonly string[];
  readonly required?: boolean;
}

export interface ArgumentSpec {
  readonly name: string;
  readonly summary: string;
  readonly required?: boolean;
  readonly variadic?: boolean;
}

export interface Example {
  readonly command: string;
  readonly shows: string;
}

/** One row of the command table: help, parsing and completion are all made from it. */
export interface Command {
  /** The words that call it: `['customer', 'create']`. */
  readonly path: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly arguments?: readonly ArgumentSpec[];
  readonly options?: Readonly<Record<string, OptionSpec>>;
  readonly examples?: readonly Example[];
  /** The command parses its arguments itself: `options` is only for the help and completion. */
  readonly readsItsOwnOptions?: boolean;
  run(invocation: Invocation): Promise<ExitCode>;
}

export interface CommandGroup {
  readonly title: string;
  readonly commands: readonly Command[];
}

export type OptionValue = string | boolean | readonly (string | boolean)[] | undefined;

/** A command line that has been understood. */
export class Invocation {
  readonly terminal: Terminal;
  readonly arguments: readonly string[];
  readonly #values: Readonly<Record<string, OptionValue>>;

  constructor(terminal: Terminal, positionals: readonly string[], values: Readonly<Record<string, OptionValue>>) {
    this.terminal = terminal;
    this.arguments = positionals;
    this.#values = values;
  }

  /** All options that were given. */
  get options(): Readonly<Record<string, OptionValue>> {
    return this.#values;
  }

  text(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === 'string' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.#values[name] === true;
  }

  /** True or false where the flag or its `--no-` form was given. */
  choice(name: string): boolean | undefined {
    const value = this.#values[name];
    return typeof value === 'boolean' ? value : undefined;
  }

  list(name: string): readonly string[] {
    const value = this.#values[name];
    return Array.isArray(value) ? value.map(String) : [];
  }

  /** Repeated options and comma-separated values alike; undefined when the option was not given. */
  words(name: string): readonly string[] | undefined {
    if (this.#values[name] === undefined) return undefined;
    return this.list(name)
      .flatMap((value) => value.split(','))
      .filter((value) => value !== '');
  }

  wholeNumber(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} takes a whole number, not "${text}".`);
    return Number(text);
  }

  /** The argument at a position that the table marks as required. */
  argument(index: number): string {
    const value = this.arguments[index];
    if (value === undefined) throw new UsageError(`Argument ${index + 1} is missing.`);
    return value;
  }

  required(name: string): string {
    const value = this.text(name);
    if (value === undefined) throw new UsageError(`--${name} is required.`);
    return value;
  }
}
