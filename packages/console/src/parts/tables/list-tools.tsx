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

/** A column without a title stands for what it holds, and the first leads to the page of its row: both stay. */
function isChoosable<Row>(columns: readonly Column<Row>[], { id, title }: Column<Row>): boolean {
  return title !== '' && columns[0]?.id !== id;
}

/** Those that the viewer wants to see, the same ones as long as the choice stays. */
export function useShownColumns<Row>(list: string, columns: readonly Column<Row>[]): readonly Column<Row>[] {
  const { columns: chosen } = useKeptList(list);
  return useMemo(
    () =>
      columns.filter((column) => !isChoosable(columns, column) || (chosen?.[column.id] ?? column.isOptional !== true)),
    [columns, chosen],
  );
}

interface ListToolsProps<Row, Name extends string> {
  /** Under which the choices are kept. */
  readonly list: string;
  /** All there are. */
  readonly columns: readonly Column<Row>[];
  readonly filters: Filters<Name>;
}

export function ListTools<Row, Name extends string>({
  list,
  columns,
  filters,
}: ListToolsProps<Row, Name>): ReactElement {
  return (
    <span className={styles.tools}>
      <SavedFilters list={list} filters={filters} />
      <ColumnChoice list={list} columns={columns} />
    </span>
  );
}

function ColumnChoice<Row>({ list, columns }: Pick<ListToolsProps<Row, never>, 'list' | 'columns'>): ReactElement {
  const say = useWords();
  const { columns: chosen = {} } = useKeptList(list);
  return (
    <Popover position="bottom-end" trapFocus returnFocus withinPortal>
      <Popover.Target>
        <Button look="bordered" className={styles.columns} icon={<Icon name="overview" size={16} />}>
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

function SavedFilters<Name extends string>({ list, filters }: Pick<ListToolsProps<never, Name>, 'list' | 'filters'>) {
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
