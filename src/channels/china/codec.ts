// Turns PDUs into octets and back, by the table of the commands of a protocol; the types of every PDU follow from the table.
import {
  type Field,
  type FieldKind,
  type FieldValues,
  type MalformedPdu,
  readFields,
  readUint4,
  type ValueOf,
  writeFields,
  writeUint4,
} from './fields.js';

type FieldRow = readonly [name: string, kind: FieldKind, octets: number, octetsInNextVersion?: number];

interface CommandDefinition<Row extends FieldRow> {
  readonly id: number;
  readonly fields: readonly Row[];
}

/** The commands of a protocol, each with its fields in wire order. */
export type CommandTable<Row extends FieldRow = FieldRow> = Readonly<Record<string, CommandDefinition<Row>>>;

export type BodyOf<Table extends CommandTable, Command extends keyof Table> = {
  readonly [Row in Table[Command]['fields'][number] as Row[0]]: ValueOf<Row[1]>;
};

export type PduIn<Table extends CommandTable, Command extends keyof Table, Sequence> = Command extends keyof Table
  ? { readonly command: Command; readonly sequence: Sequence; readonly body: BodyOf<Table, Command> }
  : never;

/** The sequence number, which follows the length and the command in a header. */
export interface SequenceFormat<Sequence> {
  readonly octets: number;
  readonly write: (target: Buffer, at: number, sequence: Sequence) => void;
  readonly read: (frame: Buffer, at: number) => Sequence;
}

export interface Codec<Table extends CommandTable, Sequence> {
  readonly headerBytes: number;
  /** Writes a PDU at `offset` and returns the offset after it. Throws `FieldOverflow` when a value does not fit. */
  encodePdu<Command extends keyof Table & string>(
    target: Buffer,
    offset: number,
    command: Command,
    sequence: Sequence,
    body?: BodyOf<Table, NoInfer<Command>>,
  ): number;
  /** Reads one whole frame. Contents are views of the frame: a caller that keeps one copies it. */
  decodePdu(frame: Buffer): PduIn<Table, keyof Table & string, Sequence> | MalformedPdu<Sequence>;
  /** Octets of such a PDU without contents. */
  sizeOf(commandId: number): number | undefined;
}

interface Layout {
  readonly command: string;
  readonly id: number;
  readonly fields: readonly Field[];
}

const COMMAND_AT = 4;
const SEQUENCE_AT = 8;
const NO_VALUES: FieldValues = Object.freeze({});

export const ONE_INTEGER: SequenceFormat<number> = { octets: 4, write: writeUint4, read: readUint4 };

/** `column`: where in its row the length of a field is, for protocols of two versions. */
export function createCodec<const Table extends CommandTable, Sequence>(
  table: Table,
  sequences: SequenceFormat<Sequence>,
  column: 2 | 3 = 2,
): Codec<Table, Sequence> {
  const headerBytes = SEQUENCE_AT + sequences.octets;
  const layouts = Object.entries(table).map(([command, { id, fields }]): Layout => {
    return { command, id, fields: fields.map((row) => ({ name: row[0], kind: row[1], octets: row[column] ?? 0 })) };
  });
  const byCommand = new Map(layouts.map((layout) => [layout.command, layout]));
  const byId = new Map(layouts.map((layout) => [layout.id, layout]));
  return {
    headerBytes,
    encodePdu(target, offset, command, sequence, body) {
      const { id, fields } = byCommand.get(command) as Layout;
      const end = writeFields(target, offset + headerBytes, fields, (body ?? NO_VALUES) as FieldValues);
      writeUint4(target, offset, end - offset);
      writeUint4(target, offset + COMMAND_AT, id);
      sequences.write(target, offset + SEQUENCE_AT, sequence);
      return end;
    },
    decodePdu(frame) {
      const commandId = readUint4(frame, COMMAND_AT);
      const sequence = sequences.read(frame, SEQUENCE_AT);
      const layout = byId.get(commandId);
      if (layout === undefined) return { command: 'malformed', commandId, sequence, reason: 'unknown_command' };
      const body = readFields(frame, headerBytes, layout.fields);
      if (body === undefined) return { command: 'malformed', commandId, sequence, reason: 'too_short' };
      return { command: layout.command, sequence, body } as unknown as PduIn<Table, keyof Table & string, Sequence>;
    },
    sizeOf: (commandId) => byId.get(commandId)?.fields.reduce((sum, { octets }) => sum + octets, headerBytes),
  };
}
