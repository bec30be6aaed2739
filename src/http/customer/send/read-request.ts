// Validates a send or a preview. A rejection lists every fault at once: query parameters, of which there are none, and those of the
// fields, of the times and of the variables that the template needs.

import type { CustomerConfig } from '../../../domain/entities/customer.js';
import type { Fault } from '../../../domain/fault/fault.js';
import { checkVariables } from '../../../domain/request/check-variables.js';
import { checkSendRequestInSteps, type SendRequest } from '../../../domain/request/send-request.js';
import { checkTimes } from '../../../domain/task/schedule.js';
import { slicer } from '../../../pipeline/fairness/slicer.js';
import { invalidRequest } from '../../problem/problem.js';
import { findParameters } from '../../query/list-query.js';
import type { CustomerCall } from '../access/admit.js';
import type { CustomerDeps } from '../deps.js';

/** Throws if a field is invalid. The times of an otherwise valid request are checked later: a repeat may arrive after they have passed. */
export async function readRequest(
  deps: Pick<CustomerDeps, 'snapshot' | 'now'>,
  { customer, body, requestTarget }: Pick<CustomerCall, 'customer' | 'body' | 'requestTarget'>,
): Promise<SendRequest> {
  const check = await slicer.run(`${customer.customerId}`, checkSendRequestInSteps(body));
  const parameters = findParameters(requestTarget);
  if (check.ok && parameters.length === 0) return check.request;
  const partial = check.ok ? check.request : check.partial;
  const faults = check.ok ? parameters : [...parameters, ...check.faults];
  if (partial === undefined) throw invalidRequest(faults);
  const timeFaults = checkTimes(partial, deps.now());
  const missing = faults.some(hidesVariables)
    ? []
    : findMissingVariables(deps, customer, partial).filter(({ pointer }) => !isCovered(pointer, faults));
  throw invalidRequest([...faults, ...timeFaults, ...missing]);
}

/** After such a fault it is not known which variables the recipients have. */
function hidesVariables({ pointer }: Fault): boolean {
  return pointer === '' || pointer === '/variable_values' || pointer === '/recipients';
}

/** Whether the values themselves, or their recipient, have a fault: then they could not be read. */
function isCovered(pointer: string, faults: readonly Fault[]): boolean {
  return faults.some((fault) => fault.pointer === pointer || pointer === `${fault.pointer}/variable_values`);
}

function findMissingVariables(
  { snapshot }: Pick<CustomerDeps, 'snapshot'>,
  { customerId }: CustomerConfig,
  request: SendRequest,
): Fault[] {
  const template = snapshot.current().template(customerId, request.templateNo);
  return template?.status === 'active' ? checkVariables(template.compiled.used, request) : [];
}
