// Values for the examples of the documentation while the demo runs here: its key, its names and its newest task.

import { resolve } from 'node:path';
import { formatNo } from '../domain/id.js';
import type { PlaceholderValues } from '../http/docs/placeholder.js';
import { scopeOf } from '../store/condition.js';
import { listTasks } from '../store/lists/tasks.js';
import { readCustomer } from '../store/operator/customer.js';
import type { Sql } from '../store/sql.js';
import type { DemoCredentials } from './demo.js';

export async function readExampleValues(
  sql: Sql,
  demo: DemoCredentials,
  dataDir: string,
): Promise<Partial<PlaceholderValues>> {
  const { url, api_key, api_secret, customer_no, template_no, service_account_no, channel_no } = demo;
  // The pages work without the database.
  const taskNo = await findNewestTask(sql, customer_no).catch(() => undefined);
  return {
    ...{ url, api_key, api_secret, customer_no, template_no, service_account_no, channel_no },
    firm: 'demo',
    operator_token_file: quoteForShell(resolve(dataDir, 'operator-token')),
    ...(taskNo === undefined ? {} : { task_no: taskNo }),
  };
}

async function findNewestTask(sql: Sql, customerNo: string): Promise<string | undefined> {
  const customer = await readCustomer(sql, customerNo);
  if (customer === undefined) return undefined;
  const scope = scopeOf(customer, { startMs: undefined, endMs: undefined });
  const [newest] = await listTasks(sql, scope, {}).rows({ after: undefined, offset: 0, limit: 1 });
  return newest === undefined ? undefined : formatNo('T', newest.taskId);
}

function quoteForShell(path: string): string {
  return /^[\w/.-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}
