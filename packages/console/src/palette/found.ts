// What is found for the words that are written: customers, channels, tasks, templates, numbers.

import { useDebouncedValue } from '@mantine/hooks';
import type { PostriderClient, Task } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { createCustomerClient, createOperatorClient } from '../api/clients.js';
import { channelNamesQuery, customerNamesQuery } from '../api/names.js';
import { customersByNameQuery, tasksByNameQuery } from '../api/operator-lists.js';
import { templatesQuery } from '../api/templates.js';
import { isPhone, letterOf } from '../pages/search/find-place.js';
import { type CustomerSession, type OperatorSession, type Role, useSessions } from '../session/session.js';
import type { Say } from '../words/say.js';
import { useWords } from '../words/say.js';
import { isMatch, type PaletteEntry, useGo } from './entries.js';

/** Longer than between two keys. */
const REST_MS = 150;
const MOST = 5;
const MOST_NAME = 100;
const MOST_REQUEST_ID = 64;
const OPERATOR_PAGES = { T: 'tasks', C: 'customers', H: 'channels' } as const;

interface Found {
  readonly entries: readonly PaletteEntry[];
  readonly isReading: boolean;
}

const NONE: Found = { entries: [], isReading: false };

export function useFound(role: Role, written: string): Found {
  const { operator, customer } = useSessions();
  const [text] = useDebouncedValue(written, REST_MS);
  const forOperator = useOperatorFinds(role === 'operator' ? operator : undefined, text);
  const forCustomer = useCustomerFinds(role === 'customer' ? customer : undefined, text);
  if (written === '') return NONE;
  const { entries, isReading } = role === 'operator' ? forOperator : forCustomer;
  return { entries, isReading: isReading || written !== text };
}

function useOperatorFinds(session: OperatorSession | undefined, text: string): Found {
  const say = useWords();
  const go = useGo();
  // Not asked for without a sign-in.
  const client = useMemo(() => createOperatorClient(session ?? { token: 'none' }), [session]);
  const enabled = session !== undefined && text !== '';
  const customers = useQuery({ ...customerNamesQuery(client), enabled });
  const channels = useQuery({ ...channelNamesQuery(client), enabled });
  const byName = useQuery({ ...customersByNameQuery(client, text.slice(0, MOST_NAME)), enabled });
  const tasks = useQuery({ ...tasksByNameQuery(client, text, MOST), enabled });
  const named = new Map(
    [
      ...(customers.data ?? []).map(({ value, label }) => [value, label] as const),
      ...(byName.data ?? []).map(({ customer_no: no, name }) => [no, name] as const),
    ].filter(([no, name]) => isMatch({ label: say('palette.topUp', { name }), also: no }, text)),
  );
  const entries: PaletteEntry[] = [...named].slice(0, MOST).flatMap(([no, name]): PaletteEntry[] => [
    { id: no, group: 'nav.customers', icon: 'customers', label: name, note: no, run: go(`/operator/customers/${no}`) },
    {
      id: `${no} money`,
      group: 'nav.customers',
      icon: 'ledger',
      label: say('palette.topUp', { name }),
      run: go(`/operator/customers/${no}`, { tab: 'money' }),
    },
  ]);
  for (const { value: no, label } of (channels.data ?? [])
    .filter((one) => isMatch({ label: one.label, also: one.value }, text))
    .slice(0, MOST)) {
    entries.push({
      id: no,
      group: 'nav.channels',
      icon: 'channels',
      label,
      note: no,
      run: go(`/operator/channels/${no}`),
    });
  }
  for (const { task_no: no, client_request_id: id, title } of tasks.data ?? []) {
    entries.push({
      id: no,
      group: 'nav.tasks',
      icon: 'tasks',
      label: title ?? id ?? no,
      note: no,
      run: go(`/operator/tasks/${no}`),
    });
  }
  const letter = letterOf(text);
  if (letter !== undefined && !entries.some(({ id }) => id === text.toUpperCase())) {
    const no = text.toUpperCase();
    entries.unshift({
      id: no,
      group: letter === 'T' ? 'nav.tasks' : letter === 'C' ? 'nav.customers' : 'nav.channels',
      icon: OPERATOR_PAGES[letter],
      label: no,
      run: go(`/operator/${OPERATOR_PAGES[letter]}/${no}`),
    });
  }
  entries.push(...numberEntry(say, text, go(`/operator/numbers/${encodeURIComponent(text)}`)));
  if (text !== '') entries.push(searchEntry(say, text, go('/operator/search', { q: text })));
  return { entries, isReading: customers.isFetching || channels.isFetching || byName.isFetching || tasks.isFetching };
}

function useCustomerFinds(session: CustomerSession | undefined, text: string): Found {
  const say = useWords();
  const go = useGo();
  const client = useMemo(() => createCustomerClient(session ?? { apiKey: 'none', apiSecret: 'none' }), [session]);
  const enabled = session !== undefined && text !== '';
  const templates = useQuery({ ...templatesQuery(client), enabled });
  const tasks = useQuery({
    queryKey: ['palette-own-tasks', text],
    enabled,
    queryFn: ({ signal }) => findTasks(client, text, signal),
  });
  const entries: PaletteEntry[] = (tasks.data ?? []).map(({ task_no: no, title, client_request_id: id }) => ({
    id: no,
    group: 'nav.tasks',
    icon: 'tasks',
    label: title ?? id ?? no,
    note: no,
    run: go(`/tasks/${no}`),
  }));
  const letter = letterOf(text);
  if (letter === 'T' && !entries.some(({ id }) => id === text.toUpperCase())) {
    const no = text.toUpperCase();
    entries.unshift({ id: no, group: 'nav.tasks', icon: 'tasks', label: no, run: go(`/tasks/${no}`) });
  }
  for (const { template_no: no, name } of (templates.data?.items ?? [])
    .filter((one) => isMatch({ label: one.name, also: one.template_no }, text))
    .slice(0, MOST)) {
    entries.push({
      id: no,
      group: 'nav.templates',
      icon: 'copy',
      label: name,
      note: no,
      run: go('/tasks', { template_no: no }),
    });
  }
  entries.push(...numberEntry(say, text, go(`/numbers/${encodeURIComponent(text)}`)));
  if (text !== '') entries.push(searchEntry(say, text, go('/search', { q: text })));
  return { entries, isReading: templates.isFetching || tasks.isFetching };
}

async function findTasks(client: PostriderClient, text: string, signal: AbortSignal): Promise<readonly Task[]> {
  const options = { pageSize: MOST, signal };
  // Titles that begin so are found in all tasks, words in the newest alone.
  const pages = await Promise.all([
    client.tasks({ clientRequestId: text.slice(0, MOST_REQUEST_ID), ...options }).page(),
    client.tasks({ title: text.slice(0, MOST_NAME), ...options }).page(),
    client.tasks({ words: text.slice(0, MOST_NAME), ...options }).page(),
  ]);
  const found = pages.flatMap(({ items }) => items.map((task) => [task.task_no, task] as const));
  return [...new Map(found).values()].slice(0, MOST);
}

/** Looked up only when it is chosen: an operator's look at a number is in the audit log. */
function numberEntry(say: Say, text: string, run: () => void): readonly PaletteEntry[] {
  if (!isPhone(text)) return [];
  return [
    { id: 'number', group: 'palette.numbers', icon: 'search', label: say('palette.number', { phone: text }), run },
  ];
}

function searchEntry(say: Say, text: string, run: () => void): PaletteEntry {
  return { id: 'search', group: 'find.label', icon: 'search', label: say('palette.search', { wanted: text }), run };
}
