// A form made of a list of fields. Faults that the service finds stand at the field they are about.

import { Alert, Group, MultiSelect, Stack, Switch } from '@mantine/core';
import { PostriderError } from '@postrider/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import { useWords } from '../../words/say.js';
import { useFaultWords } from '../../words/use-error-words.js';
import { Button } from '../controls/button.js';
import { ProblemText } from '../layout/states.js';
import { ConfirmDialog } from './confirm-dialog.js';
import styles from './entity-form.module.css';
import { ChoiceField, LongTextField, TextField } from './field.js';

export interface Field {
  /** As in the body of the call; `a.b` is the field b of an object a. */
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind:
    | 'text'
    | 'long'
    | 'number'
    | 'numbers'
    | 'switch'
    | 'list'
    | 'choice'
    | 'choices'
    | 'json'
    | 'secret'
    | 'date';
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  readonly isRequired?: boolean;
  /** What an empty field means: left out unless it is said to be null. */
  readonly emptyIs?: null;
  /** Below a line that opens on demand: most people never need it. */
  readonly isFolded?: boolean;
  /** The heading that it stands under, together with its neighbours of the same section. */
  readonly section?: string;
}

export type FieldValues = Readonly<Record<string, unknown>>;

interface Confirmation {
  readonly title: string;
  readonly hint: string | ((values: Readonly<Record<string, string>>) => string);
}

export interface EntityFormProps {
  readonly fields: readonly Field[];
  readonly initial?: FieldValues;
  readonly submit: string;
  /** Sends only what differs from `initial`. */
  readonly isChange?: boolean;
  readonly onSubmit: (body: FieldValues) => Promise<unknown>;
  readonly onDone?: () => void;
  /** What disabling it does, asked before a change of the status to `disabled`. */
  readonly disableHint?: string | undefined;
  /** Asked before anything is sent. */
  readonly confirmation?: Confirmation;
  /** What follows from the values as they stand, below the fields. */
  readonly renderOutlook?: (values: Readonly<Record<string, string>>) => ReactNode;
}

export function EntityForm(props: EntityFormProps): ReactElement {
  const { fields, initial = {}, submit, isChange = false, onSubmit, onDone, disableHint, renderOutlook } = props;
  const say = useWords();
  const sayFault = useFaultWords();
  const queryClient = useQueryClient();
  const [values, setValues] = useState<Record<string, string>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, toText(readPath(initial, field.name))])),
  );
  const [before] = useState(values);
  const save = useMutation({
    mutationFn: () => {
      const sent = isChange ? fields.filter(({ name }) => values[name] !== before[name]) : fields;
      return onSubmit(buildBody(sent, values));
    },
    onSuccess: onDone ?? (() => undefined),
    onSettled: () => queryClient.invalidateQueries(),
  });
  const form = useRef<HTMLFormElement>(null);
  // A form may be longer than the screen: what is wrong with it must not stay out of sight.
  useEffect(() => {
    const first = save.error === null ? null : form.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    first?.focus({ preventScroll: true });
    // In the middle: the title of the dialog stays at its top and would cover what is scrolled to the edge.
    first?.scrollIntoView({ block: 'center' });
  }, [save.error]);
  const faults = save.error instanceof PostriderError ? save.error.errors : [];
  const isFilled = fields.every(({ name, isRequired }) => isRequired !== true || (values[name] ?? '').trim() !== '');
  const folded = fields.filter(({ isFolded }) => isFolded === true);
  const faultOf = ({ name }: Field) => {
    const pointer = `/${name.replaceAll('.', '/')}`;
    const found = faults.find((fault) => fault.pointer === pointer || fault.pointer.startsWith(`${pointer}/`));
    return found && sayFault(found);
  };
  const inputOf = (field: Field) => (
    <FieldInput
      key={field.name}
      field={field}
      value={values[field.name] ?? ''}
      error={faultOf(field)}
      onChange={(value) => setValues({ ...values, [field.name]: value })}
    />
  );
  const [isAsked, setAsked] = useState(false);
  const isDisabling = isChange && values.status === 'disabled' && before.status !== 'disabled';
  const confirmation: Confirmation | undefined = isDisabling
    ? { title: say('form.disable'), hint: disableHint ?? say('form.disableHint') }
    : props.confirmation;
  const send = (event: FormEvent) => {
    event.preventDefault();
    if (confirmation !== undefined) setAsked(true);
    else save.mutate();
  };
  return (
    <form ref={form} onSubmit={send}>
      <Stack>
        {groupBySection(fields.filter(({ isFolded }) => isFolded !== true)).map(([section, ofSection]) =>
          section === undefined ? (
            ofSection.map(inputOf)
          ) : (
            <fieldset key={section} className={styles.section}>
              <legend>{section}</legend>
              {ofSection.map(inputOf)}
            </fieldset>
          ),
        )}
        {folded.length > 0 && (
          <details open={folded.some((field) => faultOf(field) !== undefined) || undefined}>
            <summary>{say('form.more', { count: folded.length })}</summary>
            <Stack mt="md">{folded.map(inputOf)}</Stack>
          </details>
        )}
        {renderOutlook?.(values)}
        {save.error !== null && !fields.some((field) => faultOf(field) !== undefined) && (
          <Alert color="red" role="alert">
            <ProblemText error={save.error} />
          </Alert>
        )}
        <Group justify="flex-end">
          <Button type="submit" isBusy={save.isPending} disabled={!isFilled}>
            {submit}
          </Button>
        </Group>
      </Stack>
      <ConfirmDialog
        title={isAsked ? confirmation?.title : undefined}
        hint={typeof confirmation?.hint === 'function' ? confirmation.hint(values) : confirmation?.hint}
        isDangerous
        onClose={() => setAsked(false)}
        onConfirm={() => save.mutate()}
      />
    </form>
  );
}

/** In their order: a section ends where the next one begins. */
function groupBySection(fields: readonly Field[]): readonly (readonly [string | undefined, readonly Field[]])[] {
  const groups: [string | undefined, Field[]][] = [];
  for (const field of fields) {
    const last = groups.at(-1);
    if (last !== undefined && last[0] === field.section) last[1].push(field);
    else groups.push([field.section, [field]]);
  }
  return groups;
}

interface FieldInputProps {
  readonly field: Field;
  readonly value: string;
  readonly error: string | undefined;
  readonly onChange: (value: string) => void;
}

function FieldInput({ field, value, error, onChange }: FieldInputProps): ReactElement {
  const say = useWords();
  const { label, kind, choices = [] } = field;
  const shared = { label, description: field.hint, error };
  const isRequired = field.isRequired === true;
  const offersUnset = !isRequired && !choices.some((choice) => choice.value === '');
  switch (kind) {
    case 'switch':
      return (
        <Switch
          label={label}
          description={field.hint}
          checked={value === 'true'}
          onChange={(event) => onChange(String(event.currentTarget.checked))}
        />
      );
    case 'choice':
      return (
        <ChoiceField
          {...shared}
          isRequired={isRequired}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
          choices={[...(offersUnset ? [{ value: '', label: say('form.unset') }] : []), ...choices]}
        />
      );
    case 'choices':
      return (
        <MultiSelect
          {...shared}
          withAsterisk={isRequired}
          value={value === '' ? [] : value.split(',')}
          onChange={(chosen) => onChange(chosen.join(','))}
          data={[...choices]}
        />
      );
    case 'long':
    case 'json':
      return (
        <LongTextField
          {...shared}
          isRequired={isRequired}
          rows={3}
          value={value}
          spellCheck={kind === 'long'}
          isCode={kind === 'json'}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
    default:
      return (
        <TextField
          {...shared}
          isRequired={isRequired}
          type={kind === 'secret' ? 'password' : kind === 'date' ? 'date' : 'text'}
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          autoComplete="off"
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
      );
  }
}

function readPath(values: FieldValues, path: string): unknown {
  return path.split('.').reduce<unknown>((at, name) => (at as FieldValues | undefined)?.[name], values);
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'object' ? JSON.stringify(value, null, 2) : String(value);
}

/** Choices between words of which some are no words: the schema says which, the form has texts. */
const CHOSEN: ReadonlyMap<string, unknown> = new Map([
  ['true', true],
  ['false', false],
]);

function splitList(text: string): string[] {
  return text.split(/[\s,;]+/).filter((one) => one !== '');
}

/** From what was typed to what the call takes. What is not a number stays text: the service says what is wrong with it. */
function toValue({ kind }: Field, text: string): unknown {
  const trimmed = text.trim();
  switch (kind) {
    case 'switch':
      return trimmed === 'true';
    case 'number':
      return Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
    case 'numbers':
      return splitList(trimmed).map((one) => (Number.isNaN(Number(one)) ? one : Number(one)));
    case 'list':
    case 'choices':
      return splitList(trimmed);
    case 'choice':
      return CHOSEN.get(trimmed) ?? trimmed;
    case 'json':
      return JSON.parse(trimmed);
    default:
      return kind === 'long' ? text : trimmed;
  }
}

function buildBody(fields: readonly Field[], values: Readonly<Record<string, string>>): FieldValues {
  const body: Record<string, unknown> = {};
  for (const field of fields) {
    const text = values[field.name] ?? '';
    const isList = field.kind === 'list' || field.kind === 'choices' || field.kind === 'numbers';
    if (text.trim() === '' && !isList && field.kind !== 'switch') {
      if (field.emptyIs === null) writePath(body, field.name, null);
      continue;
    }
    if (text.trim() === '' && isList && field.emptyIs === null) writePath(body, field.name, null);
    else writePath(body, field.name, toValue(field, text));
  }
  return body;
}

function writePath(body: Record<string, unknown>, path: string, value: unknown): void {
  const [first = '', ...rest] = path.split('.');
  if (rest.length === 0) {
    body[first] = value;
    return;
  }
  const inner = (body[first] ?? {}) as Record<string, unknown>;
  body[first] = inner;
  writePath(inner, rest.join('.'), value);
}
