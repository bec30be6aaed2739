// The PDUs of a protocol as its codec looks them up, made from the table of its commands.
import type { Field, FieldKind } from './fields.js';

type FieldRow = readonly [name: string, kind: FieldKind, octets: number, octetsInNextVersion?: number];

export interface Layout<Command> {
  readonly command: Command;
  readonly id: number;
  readonly fields: readonly Field[];
  /** Octets of the fields together, without contents. */
  readonly octets: number;
}

export interface Layouts<Command> {
  readonly byCommand: ReadonlyMap<Command, Layout<Command>>;
  readonly byId: ReadonlyMap<number, Layout<Command>>;
}

/** `column`: where in its row the length of a field is, for protocols of two versions. */
export function createLayouts<Command extends string>(
  commands: Readonly<Record<Command, { readonly id: number; readonly fields: readonly FieldRow[] }>>,
  column: 2 | 3 = 2,
): Layouts<Command> {
  const layouts = Object.entries<{ id: number; fields: readonly FieldRow[] }>(commands).map(([command, definition]) => {
    const fields = definition.fields.map((row): Field => ({ name: row[0], kind: row[1], octets: row[column] ?? 0 }));
    const octets = fields.reduce((sum, field) => sum + field.octets, 0);
    return { command: command as Command, id: definition.id, fields, octets };
  });
  return {
    byCommand: new Map(layouts.map((layout) => [layout.command, layout])),
    byId: new Map(layouts.map((layout) => [layout.id, layout])),
  };
}
