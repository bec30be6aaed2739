// The longest lists of an operator, named here so that the way to their pages can begin to read them.

import type { Customer, OperatorClient, OperatorTask, OperatorTaskFilters, Stage } from '@postrider/client';
import type { FilterValues } from './filter-values.js';
import { PAGE_SIZE, type RowsQuery } from './rows.js';

export function customersOf(operator: OperatorClient): RowsQuery<Customer> {
  return { key: ['customers'], list: (signal) => operator.customers({ pageSize: PAGE_SIZE, signal }) };
}

/** Which tasks of which customers. */
export type TaskChoice = Pick<OperatorTaskFilters, 'customerNo' | 'stage' | 'clientRequestId'>;

export const OPERATOR_TASK_FILTERS = ['stage', 'customer_no', 'client_request_id'] as const;

export function chooseTasks(filters: FilterValues<(typeof OPERATOR_TASK_FILTERS)[number]>): TaskChoice {
  const { stage, customer_no: customerNo, client_request_id: clientRequestId } = filters;
  return {
    ...(stage !== undefined && { stage: stage as Stage }),
    ...(customerNo !== undefined && { customerNo }),
    ...(clientRequestId !== undefined && { clientRequestId }),
  };
}

export function operatorTasksOf(operator: OperatorClient, choice: TaskChoice): RowsQuery<OperatorTask> {
  return {
    key: ['operator-tasks', choice.customerNo],
    filters: choice,
    list: (signal) => operator.tasks({ ...choice, pageSize: PAGE_SIZE, signal }),
  };
}
