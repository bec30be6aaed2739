// Beside the filters of a list: which of its columns are shown, and filters that are kept under a name.

import { Menu, Modal, Popover, Stack } from '@mantine/core';
import { type FormEvent, type ReactElement, useMemo, useState } from 'react';
import { Icon } from '../../design/icons.js';
import { changeList, useKeptList } from '../../kept-lists.js';
import { useWords } from '../../words/say.js';
import { Button } from '../controls/button.js';
import { TextField } from '../forms/field.js';
import type { Filters } from '../forms/filters.js';
import styles from './list-tools.module.css';
import type { Column } from './rows-table.js';

/** What a choice of columns needs to know of each. */
export type Choosable = Pick<Column<never>, 'id' | 'title' | 'isOptional'>;

/** A column without a title stands for what it holds, and the first leads to the page of its row: both stay. */
function isChoosable(columns: readonly Choosable[], { id, title }: Choosable): boolean {
  return title !== '' && columns[0]?.id !== id;
}

/** Those that the viewer wants to see, the same ones as long as the choice stays. */
export function useShownColumns<Column extends Choosable>(list: string, columns: readonly Column[]): readonly Column[] {
  const { columns: chosen } = useKeptList(list);
  return useMemo(
    () =>
      columns.filter((column) => !isChoosable(columns, column) || (chosen?.[column.id] ?? column.isOptional !== true)),
    [columns, chosen],
  );
}

interface ListToolsProps<Name extends string> {
  /** Under which the choices are kept. */
  readonly list: string;
  /** All there are; none for a list without columns. */
  readonly columns?: readonly Choosable[];
  /** None for a list without filters. */
  readonly filters?: Filters<Name>;
  /** In a line above a table. */
  readonly isCompact?: boolean;
}

export function ListTools<Name extends string>({
  list,
  columns,
  filters,
  isCompact = false,
}: ListToolsProps<Name>): ReactElement {
  return (
    <span className={styles.tools}>
      {filters !== undefined && <SavedFilters list={list} filters={filters} />}
      {columns !== undefined && <ColumnChoice list={list} columns={columns} isCompact={isCompact} />}
    </span>
  );
}

interface ColumnChoiceProps {
  readonly list: string;
  readonly columns: readonly Choosable[];
  readonly isCompact: boolean;
}

function ColumnChoice({ list, columns, isCompact }: ColumnChoiceProps): ReactElement {
  const say = useWords();
  const { columns: chosen = {} } = useKeptList(list);
  return (
    <Popover position="bottom-end" trapFocus returnFocus withinPortal>
      <Popover.Target>
        <Button
          look="bordered"
          size={isCompact ? 'small' : 'usual'}
          className={styles.columns}
          icon={<Icon name="overview" size={16} />}
        >
          {say('list.columns')}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <fieldset className={styles.choice}>
          <legend>{say('list.columns')}</legend>
          {columns
            .filter((column) => isChoosable(columns, column))
            .map(({ id, title, isOptional = false }) => (
              <label key={id}>
                <input
                  type="checkbox"
                  checked={chosen[id] ?? !isOptional}
                  onChange={(event) => changeList(list, { columns: { ...chosen, [id]: event.currentTarget.checked } })}
                />
                {title}
              </label>
            ))}
        </fieldset>
      </Popover.Dropdown>
    </Popover>
  );
}

interface SavedFiltersProps<Name extends string> {
  readonly list: string;
  readonly filters: Filters<Name>;
}

function SavedFilters<Name extends string>({ list, filters }: SavedFiltersProps<Name>): ReactElement {
  const say = useWords();
  const { saved = [] } = useKeptList(list);
  const [isNaming, setNaming] = useState(false);
  const [name, setName] = useState('');
  const save = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === '') return;
    const values = filters.values as Readonly<Record<string, string>>;
    changeList(list, { saved: [...saved.filter((one) => one.name !== name.trim()), { name: name.trim(), values }] });
    setName('');
    setNaming(false);
  };
  return (
    <>
      <Menu withInitialFocusPlaceholder={false} position="bottom-end" width={260}>
        <Menu.Target>
          <Button look="bordered" icon={<Icon name="filter" size={16} />}>
            {say('list.saved')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {saved.length === 0 && <Menu.Label>{say('list.noSaved')}</Menu.Label>}
          {saved.map((one) => (
            <Menu.Item key={one.name} onClick={() => filters.replace(one.values as Partial<Record<Name, string>>)}>
              {one.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item disabled={!filters.isFiltered} onClick={() => setNaming(true)}>
            {say('list.save')}
          </Menu.Item>
          {saved.map((one) => (
            <Menu.Item
              key={`remove ${one.name}`}
              color="red"
              onClick={() => changeList(list, { saved: saved.filter(({ name: kept }) => kept !== one.name) })}
            >
              {say('list.remove', { name: one.name })}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Modal
        opened={isNaming}
        onClose={() => setNaming(false)}
        title={say('list.save')}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        <form onSubmit={save}>
          <Stack gap="sm">
            <TextField
              label={say('list.name')}
              value={name}
              data-autofocus
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <Button type="submit" className={styles.save} disabled={name.trim() === ''}>
              {say('form.save')}
            </Button>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
