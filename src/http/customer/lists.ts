// A list of the customer API, both ways: a page of it as JSON, newest first, or the whole of it as a file, oldest first.

import type { TSchema } from '@sinclair/typebox';
import {
  type ListPosition,
  type ListResult,
  type ListSource,
  readList,
  readRows,
  type ShowRows,
} from '../../store/list.js';
import type { AnySql } from '../../store/sql.js';
import { exampleList } from '../examples.js';
import { columnsOf, createRowFormat } from '../export-rows.js';
import { showTo } from '../masking.js';
import { CSV_MEDIA_TYPE, JSON_MEDIA_TYPE, NDJSON_MEDIA_TYPE } from '../media-type.js';
import {
  emptyList,
  exportNameOf,
  type FilterSchemas,
  type ListDefinition,
  type ListQuery,
  listOf,
  parseListQuery,
  renderList,
} from '../query/list-query.js';
import type { Operation, Route } from '../route.js';
import type { CustomerCall } from './access/admit.js';
import type { CustomerDeps } from './deps.js';
import { type ForwardList, type Item, startExport } from './exports.js';

/** A list that was narrowed by its filters, with its rows as they are shown. */
export interface OpenList extends ForwardList {
  readPage(position: ListPosition): Promise<ListResult<Item>>;
}

export function openList<Row>(source: ListSource<Row>, show: ShowRows<Row, Item>): OpenList {
  return {
    readPage: (position) => readList(source, position, show),
    async readForward(after, limit) {
      const { rows, resumeAfter } = await readRows(source, { after, offset: 0, limit, oldestFirst: true });
      const keys = rows.map(source.keyOf);
      return { keys, items: await show(rows), nextKey: rows.length === limit ? keys.at(-1) : resumeAfter };
    },
  };
}

interface ListRoute<Filters extends FilterSchemas> {
  readonly path: string;
  readonly name: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: NonNullable<Operation['params']>;
  readonly list: ListDefinition<Filters>;
  readonly item: TSchema;
  readonly example: object;
  /** Columns of a file that are left out unless the query asks for them. */
  readonly columnsOnRequest?: {
    readonly columns: readonly string[];
    readonly isAsked: (query: ListQuery<Filters>) => boolean;
  };
  /** Undefined when the filters name something that does not exist. All statements go through `sql`: it is one view. */
  readonly open: (sql: AnySql, call: CustomerCall, query: ListQuery<Filters>) => Promise<OpenList | undefined>;
}

/** What a page costs beside its rows, in rows. */
const ROWS_OF_A_PAGE = 25;

const FILE_TYPES = [CSV_MEDIA_TYPE, NDJSON_MEDIA_TYPE] as const;

export function listRoute<Filters extends FilterSchemas>(
  deps: CustomerDeps,
  { item, example, open, columnsOnRequest, ...rest }: ListRoute<Filters>,
): Route<CustomerCall> {
  const allColumns = columnsOf(item);
  const columns = allColumns.filter((name) => columnsOnRequest?.columns.includes(name) !== true);
  const { list } = rest;
  return {
    ...rest,
    method: 'GET',
    answer: { status: 200, description: 'A page of the list.', schema: listOf(item), example: exampleList(example) },
    files: {
      types: FILE_TYPES,
      columns,
      description: 'The whole list, oldest first, as it was at one moment; without `page` and `page_size`.',
    },
    problems: [],
    async handle(call) {
      const { answerType, customer, reply } = call;
      if (answerType === JSON_MEDIA_TYPE) {
        const query = parseListQuery(list, call);
        await deps.fairness.takeRows(customer.customerId, ROWS_OF_A_PAGE + query.position.pageSize);
        const opened = await open(deps.readers, call, query);
        if (opened === undefined) return emptyList(query);
        return renderList(list.name, call, await opened.readPage(query.position));
      }
      const query = parseListQuery(list, call, 'export');
      reply.type(`${answerType}; charset=utf-8`);
      if (call.request.method === 'HEAD') return '';
      return startExport({
        sql: deps.sql,
        cursorsOf: (keys) => call.cursors.sealAll(exportNameOf(list), 1, keys),
        after: query.position.after,
        format: createRowFormat(answerType, columnsOnRequest?.isAsked(query) === true ? allColumns : columns, (row) =>
          showTo(call.request, row),
        ),
        open: (tx) => open(tx, call, query),
        takeRows: (rows) => deps.fairness.takeRows(customer.customerId, rows),
        monotonicNow: deps.monotonicNow,
        onEnd: await deps.exportGate.enter(customer.customerId),
      });
    },
  };
}
