import { FileButton, Group, Text } from '@mantine/core';
import { NumberFileError, readNumberFile, type VariableName } from '@postrider/client';
import { type ReactElement, useState } from 'react';
import { Icon } from '../../design/icons.js';
import { Button } from '../../parts/controls/button.js';
import { Segments } from '../../parts/controls/segments.js';
import { ChoiceField, LongTextField, TextField } from '../../parts/forms/field.js';
import { useWords } from '../../words/say.js';
import type { RecipientTable } from './recipients.js';
import type { VariableSource } from './send-plan.js';

/** A text that is longer than this is not kept in a field that is drawn with every letter. */
const SHOWN_CHARACTERS = 20_000;

interface ChosenFile {
  readonly name: string;
  readonly text: string;
  readonly isGb18030: boolean;
  readonly problem: NumberFileError['problem'] | 'unreadable' | undefined;
}

async function readChosen(file: File): Promise<ChosenFile> {
  const { name } = file;
  try {
    const { text, encoding } = await readNumberFile(new Uint8Array(await file.arrayBuffer()));
    return { name, text, isGb18030: encoding === 'gb18030', problem: undefined };
  } catch (error) {
    const problem = error instanceof NumberFileError ? error.problem : 'unreadable';
    return { name, text: '', isGb18030: false, problem };
  }
}

interface RecipientsFieldProps {
  readonly text: string;
  readonly table: RecipientTable;
  /** Whether the simulated numbers of the demo are worth naming. */
  readonly isDemo: boolean;
  readonly error: string | undefined;
  readonly onText: (text: string) => void;
}

export function RecipientsField({ text, table, isDemo, error, onText }: RecipientsFieldProps): ReactElement {
  const say = useWords();
  const isLong = text.length > SHOWN_CHARACTERS;
  const [file, setFile] = useState<ChosenFile>();
  const choose = async (chosen: File | null) => {
    if (chosen === null) return;
    const read = await readChosen(chosen);
    setFile(read);
    onText(read.text);
  };
  const change = (changed: string) => {
    setFile(undefined);
    onText(changed);
  };
  return (
    <>
      <LongTextField
        label={say('compose.recipients')}
        description={say('compose.recipientsHint')}
        placeholder={'13800139001, Ann\n13800139002, Bob'}
        rows={4}
        isCode
        value={isLong ? `${text.slice(0, 500)}…` : text}
        readOnly={isLong}
        error={file?.problem === undefined ? error : say(`compose.fileProblem.${file.problem}`, { name: file.name })}
        onChange={(event) => change(event.currentTarget.value)}
      />
      {isDemo && (
        <Text size="xs" c="dimmed">
          {say('compose.demoNumbers')}
        </Text>
      )}
      {file?.isGb18030 && (
        <Text size="sm" role="status">
          {say('compose.fileGb18030', { name: file.name })}
        </Text>
      )}
      <Group justify="space-between">
        <Text size="sm" c="dimmed" aria-live="polite">
          {say('state.numbers', { count: table.rows.length })}
        </Text>
        <Group gap="xs">
          {text !== '' && (
            <Button look="words" onClick={() => change('')}>
              {say('compose.clear')}
            </Button>
          )}
          <FileButton accept=".csv,.txt,.xlsx,text/csv,text/plain" onChange={(chosen) => void choose(chosen)}>
            {(props) => (
              <Button {...props} look="bordered" icon={<Icon name="reports" size={16} />}>
                {say('compose.file')}
              </Button>
            )}
          </FileButton>
        </Group>
      </Group>
    </>
  );
}

interface PhoneColumnProps {
  readonly table: RecipientTable;
  readonly column: number;
  readonly onColumn: (column: number) => void;
}

export function PhoneColumn({ table, column, onColumn }: PhoneColumnProps): ReactElement | null {
  const say = useWords();
  if (table.columns.length < 2) return null;
  return (
    <ChoiceField
      label={say('compose.phoneColumn')}
      value={String(column)}
      onChange={(event) => onColumn(Number(event.currentTarget.value))}
      choices={table.columns.map((name, index) => ({
        value: String(index),
        label: describeColumn(table, index, name),
      }))}
    />
  );
}

function describeColumn(table: RecipientTable, index: number, name: string): string {
  const example = table.rows[0]?.[index];
  return example === undefined || example === '' ? name : `${name} (${example.slice(0, 24)})`;
}

interface VariableFieldProps {
  readonly name: VariableName;
  /** The text of the template, to show where the value goes. */
  readonly body: string;
  readonly table: RecipientTable;
  readonly source: VariableSource;
  readonly error: string | undefined;
  readonly onSource: (source: VariableSource) => void;
}

/** Characters of the template on either side of a placeholder. */
const CONTEXT = 24;

/** The placeholder among the words around it; undefined where it is the whole text. */
function excerptOf(body: string, placeholder: string): string | undefined {
  const at = body.indexOf(placeholder);
  const before = Array.from(body.slice(0, Math.max(at, 0)));
  const after = Array.from(body.slice(at + placeholder.length));
  if (at < 0 || before.length + after.length === 0) return undefined;
  const start = before.length > CONTEXT ? `…${before.slice(-CONTEXT).join('')}` : before.join('');
  const end = after.length > CONTEXT ? `${after.slice(0, CONTEXT).join('')}…` : after.join('');
  return start + placeholder + end;
}

/** The value of a placeholder: the same for all recipients, or from a column of the list. */
export function VariableField({ name, body, table, source, error, onSource }: VariableFieldProps): ReactElement {
  const say = useWords();
  const hasColumns = table.columns.length > 1;
  const placeholder = `{${name}}`;
  const label = say('compose.valueOf', { name: placeholder });
  const description = excerptOf(body, placeholder);
  return (
    <Group align="end" grow preventGrowOverflow={false} gap="xs">
      {source.kind === 'text' ? (
        <TextField
          label={label}
          description={description}
          value={source.text}
          error={error}
          onChange={(event) => onSource({ kind: 'text', text: event.currentTarget.value })}
        />
      ) : (
        <ChoiceField
          label={label}
          description={description}
          value={String(source.column)}
          error={error}
          onChange={(event) => onSource({ kind: 'column', column: Number(event.currentTarget.value) })}
          choices={table.columns.map((title, index) => ({
            value: String(index),
            label: describeColumn(table, index, title),
          }))}
        />
      )}
      {hasColumns && (
        <div>
          <Segments
            label={say('compose.source', { name: placeholder })}
            value={source.kind}
            onChange={(kind) =>
              onSource(kind === 'column' ? { kind, column: table.columns.length - 1 } : { kind: 'text', text: '' })
            }
            choices={[
              { value: 'text', label: say('compose.sameForAll') },
              { value: 'column', label: say('compose.fromColumn') },
            ]}
          />
        </div>
      )}
    </Group>
  );
}
