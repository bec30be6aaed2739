// Filters that live in the address, so that what is seen can be shared and opened anew.

import { Select } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Children, type ReactElement, type ReactNode, useEffect, useId, useState } from 'react';
import { type FilterValues, pickFilters } from '../../api/filter-values.js';
import { Icon } from '../../design/icons.js';
import { readMomentField, writeMomentField } from '../../format/moment.js';
import { usePreferences } from '../../preferences.js';
import { useWords } from '../../words/say.js';
import { Button } from '../controls/button.js';
import { State } from '../layout/states.js';
import { ChoiceField, TextField } from './field.js';
import styles from './filters.module.css';

export interface Filters<Name extends string> {
  readonly values: FilterValues<Name>;
  readonly isFiltered: boolean;
  set(name: Name, value: string | null): void;
  /** Sets these and drops all others. */
  replace(values: Partial<Record<Name, string | undefined>>): void;
  clear(): void;
}

export function useFilters<Name extends string>(names: readonly Name[]): Filters<Name> {
  const search: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const values = pickFilters(names, search);
  const go = (next: Record<string, string | undefined>) =>
    void navigate({ to: '.', search: next, replace: true, resetScroll: false });
  return {
    values,
    isFiltered: Object.keys(values).length > 0,
    set: (name, value) => go({ ...search, [name]: value === null || value === '' ? undefined : value }),
    replace: (next) => go(next),
    clear: () => go({}),
  };
}

/** On a phone the fields are folded behind a button that says how many are set: what is looked for is the list. */
export function FilterBar<Name extends string>({
  filters,
  tools,
  children,
}: {
  readonly filters: Filters<Name>;
  /** At the end of the line: what else can be chosen of the list. */
  readonly tools?: ReactNode;
  readonly children: ReactNode;
}): ReactElement {
  const say = useWords();
  const [isOpen, setOpen] = useState(false);
  const fieldsId = useId();
  const count = Object.keys(filters.values).length;
  // A single field takes no more room than the button that would bring it.
  const isFolding = Children.count(children) > 1;
  return (
    <search className={styles.bar}>
      {isFolding && (
        <Button
          look="bordered"
          className={styles.unfold}
          icon={<Icon name="filter" />}
          aria-expanded={isOpen}
          aria-controls={fieldsId}
          onClick={() => setOpen(!isOpen)}
        >
          {count === 0 ? say('state.filters') : say('state.filtersSet', { count })}
        </Button>
      )}
      <div id={fieldsId} className={isFolding && !isOpen ? `${styles.fields} ${styles.folded}` : styles.fields}>
        {children}
      </div>
      <Button
        look="words"
        className={filters.isFiltered ? styles.clear : `${styles.clear} ${styles.unneeded}`}
        onClick={filters.clear}
      >
        {say('state.clearFilters')}
      </Button>
      {tools}
    </search>
  );
}

/** What a list that is empty shows: the way out of its filters, or what there would be without any. */
export function NothingFound<Name extends string>({
  filters,
  children,
}: {
  readonly filters: Filters<Name>;
  /** Where nothing is filtered. */
  readonly children: ReactElement;
}): ReactElement {
  const say = useWords();
  if (!filters.isFiltered) return children;
  return (
    <State icon="filter" title={say('state.emptyFiltered')}>
      <Button look="bordered" onClick={filters.clear}>
        {say('state.clearFilters')}
      </Button>
    </State>
  );
}

interface FilterProps<Name extends string> {
  readonly filters: Filters<Name>;
  readonly name: Name;
  readonly label: string;
}

/** Waits for a pause in typing: every letter would be a request. */
export function TextFilter<Name extends string>({ filters, name, label }: FilterProps<Name>): ReactElement {
  const given = filters.values[name] ?? '';
  const [text, setText] = useState(given);
  useEffect(() => setText(given), [given]);
  const apply = useDebouncedCallback((value: string) => filters.set(name, value.trim()), 300);
  return (
    <TextField
      label={label}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        apply(event.currentTarget.value);
      }}
    />
  );
}

interface ChoiceFilterProps<Name extends string> extends FilterProps<Name> {
  readonly any: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  /** Many of them: typing narrows them down. */
  readonly isSearched?: boolean;
  /** In a line above a table: small, and with its label only for who cannot see what it is beside. */
  readonly isCompact?: boolean;
}

/** The browser's own, which is there at once and which people know; it cannot be searched. */
export function ChoiceFilter<Name extends string>(props: ChoiceFilterProps<Name>): ReactElement {
  const { filters, name, label, any, choices, isSearched = false, isCompact = false } = props;
  if (isSearched) return <SearchedChoice {...props} />;
  return (
    <ChoiceField
      {...(isCompact ? { 'aria-label': label, isSmall: true } : { label })}
      value={filters.values[name] ?? ''}
      onChange={(event) => filters.set(name, event.currentTarget.value)}
      choices={[{ value: '', label: any }, ...choices]}
    />
  );
}

function SearchedChoice<Name extends string>(props: ChoiceFilterProps<Name>): ReactElement {
  const { filters, name, label, any, choices } = props;
  return (
    <Select
      label={label}
      placeholder={any}
      value={filters.values[name] ?? null}
      onChange={(value) => filters.set(name, value)}
      data={[...choices]}
      clearable
      searchable
      className={styles.named ?? ''}
      // Room for the cross beside the arrow, so that a long name ends with dots before it.
      {...(filters.values[name] !== undefined && { rightSectionWidth: 60 })}
      // Of a thousand the first that match are enough to go on typing.
      limit={100}
      comboboxProps={{ withinPortal: true }}
    />
  );
}

/** A moment, in the address as the API takes it, in the field as the viewer's clock shows it. */
export function MomentFilter<Name extends string>({ filters, name, label }: FilterProps<Name>): ReactElement {
  const { zone } = usePreferences();
  return (
    <TextField
      type="datetime-local"
      className={styles.moment}
      label={label}
      value={writeMomentField(filters.values[name], zone)}
      onChange={(event) => filters.set(name, readMomentField(event.currentTarget.value, zone) ?? null)}
    />
  );
}

/** A day as `YYYY-MM-DD`, in the viewer's zone. */
export function DayFilter<Name extends string>({ filters, name, label }: FilterProps<Name>): ReactElement {
  return (
    <TextField
      type="date"
      label={label}
      value={filters.values[name] ?? ''}
      onChange={(event) => filters.set(name, event.currentTarget.value)}
    />
  );
}
