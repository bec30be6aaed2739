import type { Batch, PostriderClient, Task } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { isNotFound } from '../../api/query-client.js';
import { readTemplates } from '../../api/templates.js';
import { useFilters } from '../../parts/forms/filters.js';
import { RowLink } from '../../parts/tables/row-link.js';
import { Moment } from '../../parts/values/moment.js';
import { StagePill } from '../../parts/values/stage-pill.js';
import { StatusLabel } from '../../parts/values/status-label.js';
import { useWords } from '../../words/say.js';
import { isPhone, letterOf } from './find-place.js';
import { SearchResults } from './results.js';

const SHOWN = 20;

/** Undefined where there is none. */
async function findTask(client: PostriderClient, taskNo: string, signal: AbortSignal): Promise<Task | undefined> {
  try {
    return await client.task(taskNo, { signal });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** By its tasks: most of what is searched for is no batch, and that is no error. */
async function findBatch(client: PostriderClient, batchId: string, signal: AbortSignal): Promise<Batch | undefined> {
  const { items } = await client.tasks({ batchId, pageSize: 1, signal }).page();
  return items.length === 0 ? undefined : client.batch(batchId, { signal });
}

/** Each looks through some thousand tasks: enough to find what was sent of late. */
const MOST_PAGES = 5;

/** Words anywhere in titles, templates and values. Pages may end before they are full: the next ones are read, up to a limit. */
async function findByWords(client: PostriderClient, wanted: string, signal: AbortSignal): Promise<readonly Task[]> {
  const found: Task[] = [];
  let cursor: string | null = null;
  for (let read = 0; read < MOST_PAGES && found.length < SHOWN; read += 1) {
    const list = client.tasks({ words: wanted.slice(0, 100), pageSize: SHOWN, signal });
    const page = await list.page(cursor === null ? {} : { cursor });
    found.push(...page.items);
    cursor = page.next_cursor;
    if (cursor === null) break;
  }
  return found.slice(0, SHOWN);
}

async function search(client: PostriderClient, wanted: string, signal: AbortSignal) {
  const options = { pageSize: SHOWN, signal };
  const [byNo, byRequest, byTitle, byWords, batch, templates] = await Promise.all([
    letterOf(wanted) === 'T' ? findTask(client, wanted.toUpperCase(), signal) : undefined,
    client.tasks({ clientRequestId: wanted.slice(0, 64), ...options }).page(),
    client.tasks({ title: wanted.slice(0, 100), ...options }).page(),
    findByWords(client, wanted, signal),
    findBatch(client, wanted.slice(0, 64), signal),
    readTemplates(client, signal),
  ]);
  const tasks = [...(byNo === undefined ? [] : [byNo]), ...byRequest.items, ...byTitle.items, ...byWords];
  const lower = wanted.toLowerCase();
  return {
    tasks: [...new Map(tasks.map((task) => [task.task_no, task])).values()],
    batches: batch === undefined ? [] : [batch],
    templates: templates.filter(({ name, body, template_no: no }) =>
      [name, body, no].some((text) => text.toLowerCase().includes(lower)),
    ),
  };
}

/** Everything of a customer that goes by a name, a number or its words: phones, tasks, templates, request ids, batches. */
export function SearchPage(): ReactElement {
  const say = useWords();
  const client = useCustomer();
  const wanted = useFilters(['q'] as const).values.q ?? '';
  const { data, error } = useQuery({
    queryKey: ['search', wanted],
    enabled: wanted !== '',
    queryFn: ({ signal }) => search(client, wanted, signal),
  });
  const groups = data && [
    {
      name: say('search.numbers'),
      rows: isPhone(wanted)
        ? [
            {
              [say('record.phone')]: (
                <RowLink to="/numbers" name={wanted} className="mono">
                  {wanted}
                </RowLink>
              ),
            },
          ]
        : [],
    },
    {
      name: say('nav.tasks'),
      rows: data.tasks.map((task) => ({
        [say('tasks.column.task')]: (
          <RowLink to="/tasks" name={task.task_no}>
            {task.title ?? task.client_request_id ?? task.task_no}
          </RowLink>
        ),
        [say('tasks.column.stage')]: <StagePill stage={task.stage} />,
        [say('tasks.column.numbers')]: task.counts.total,
        [say('tasks.column.created')]: <Moment at={task.created_at} />,
      })),
    },
    {
      name: say('nav.templates'),
      rows: data.templates.map((template) => ({
        [say('tasks.filter.template')]: (
          <Link to="/tasks" search={{ template_no: template.template_no }}>
            {template.name}
          </Link>
        ),
        [say('task.text')]: template.body,
        [say('record.status')]: <StatusLabel status={template.status} />,
      })),
    },
    {
      name: say('nav.batches'),
      rows: data.batches.map((batch) => ({
        [say('tasks.filter.batch')]: (
          <Link to="/batches/$batchId" params={{ batchId: batch.batch_id }}>
            {batch.title ?? batch.batch_id}
          </Link>
        ),
        [say('nav.tasks')]: batch.tasks,
        [say('tasks.column.numbers')]: batch.counts.total,
        [say('tasks.column.created')]: <Moment at={batch.created_at} />,
      })),
    },
  ];
  return <SearchResults wanted={wanted} groups={groups} error={error} hint={say('search.hint')} />;
}
