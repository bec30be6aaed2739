import type { Customer } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useOperator } from '../../api/clients.js';
import { type Named, useChannelNames, useCustomerNames } from '../../api/names.js';
import { customersByNameQuery, tasksByNameQuery } from '../../api/operator-lists.js';
import { useFilters } from '../../parts/forms/filters.js';
import { Moment } from '../../parts/values/moment.js';
import { StagePill } from '../../parts/values/stage-pill.js';
import { useWords } from '../../words/say.js';
import { ChannelLink, CustomerLink, OperatorPhoneLink, OperatorTaskLink } from '../operator/operator-links.js';
import { isPhone } from './find-place.js';
import { SearchResults } from './results.js';

const SHOWN = 20;
const MOST_NAME = 100;

function mergeNamed(named: readonly Named[], customers: readonly Customer[]): readonly Named[] {
  const known = new Set(named.map(({ value }) => value));
  const others = customers.filter(({ customer_no }) => !known.has(customer_no));
  return [...named, ...others.map(({ customer_no: value, name: label }) => ({ value, label }))].slice(0, SHOWN);
}

function findNamed(named: readonly Named[], wanted: string): readonly Named[] {
  const text = wanted.toLowerCase();
  return named
    .filter(({ value, label }) => label.toLowerCase().includes(text) || value.toLowerCase() === text)
    .slice(0, SHOWN);
}

/** Everything of the platform that goes by a name or a number: phones, customers, channels, titles and request ids of tasks. */
export function OperatorSearchPage(): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const customers = useCustomerNames();
  const channels = useChannelNames();
  const wanted = useFilters(['q'] as const).values.q ?? '';
  const { data: tasks, error } = useQuery({ ...tasksByNameQuery(operator, wanted, SHOWN), enabled: wanted !== '' });
  // The names at hand are those of the newest customers.
  const { data: byName } = useQuery({
    ...customersByNameQuery(operator, wanted.slice(0, MOST_NAME)),
    enabled: wanted !== '',
  });
  const isRead = tasks !== undefined && byName !== undefined && customers !== undefined && channels !== undefined;
  const groups = isRead
    ? [
        {
          name: say('search.numbers'),
          rows: isPhone(wanted) ? [{ [say('record.phone')]: <OperatorPhoneLink phone={wanted} /> }] : [],
        },
        {
          name: say('nav.customers'),
          rows: mergeNamed(findNamed(customers, wanted), byName).map(({ value }) => ({
            [say('customers.name')]: <CustomerLink customerNo={value} />,
            [say('customers.number')]: <code key="no">{value}</code>,
          })),
        },
        {
          name: say('nav.channels'),
          rows: findNamed(channels, wanted).map(({ value }) => ({
            [say('channels.name')]: <ChannelLink channelNo={value} />,
            [say('channels.number')]: <code key="no">{value}</code>,
          })),
        },
        {
          name: say('nav.tasks'),
          rows: tasks.map((task) => ({
            [say('tasks.column.task')]: <OperatorTaskLink taskNo={task.task_no} />,
            [say('task.title')]: task.title ?? task.client_request_id,
            [say('app.customer')]: <CustomerLink customerNo={task.customer_no} />,
            [say('tasks.column.stage')]: <StagePill stage={task.stage} />,
            [say('tasks.column.created')]: <Moment at={task.created_at} />,
          })),
        },
      ]
    : undefined;
  return <SearchResults wanted={wanted} groups={groups} error={error} hint={say('search.operatorHint')} />;
}
