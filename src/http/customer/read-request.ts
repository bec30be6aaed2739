// The body of a send or of a preview, refused with everything that is wrong with it: its shape, its times, and what its
// template needs. A client mends all of it in one go, although the three are known in different places.

import type { CustomerConfig } from '../../domain/entities/customer.js';
import { checkVariables } from '../../domain/request/check-variables.js';
import type { Fault } from '../../domain/request/fault.js';
import { checkSendRequestInSteps, type SendRequest } from '../../domain/request/send-request.js';
import { checkTimes } from '../../domain/task/schedule.js';
import { slicer } from '../../pipeline/slicer.js';
import { invalidRequest } from '../problem.js';
import type { CustomerDeps } from './deps.js';

/** Throws where the shape is at fault. The times of a sound one are not looked at: a repeat may come after them. */
export async function readRequest(
  deps: Pick<CustomerDeps, 'snapshot' | 'now'>,
  customer: CustomerConfig,
  body: unknown,
): Promise<SendRequest> {
  const check = await slicer.run(`${customer.customerId}`, checkSendRequestInSteps(body));
  if (check.ok) return check.request;
  const { faults, remains } = check;
  if (remains === undefined) throw invalidRequest(faults);
  const late = checkTimes(remains, deps.now());
  const missing = faults.some(concernsVariables) ? [] : findMissing(deps, customer, remains);
  throw invalidRequest([...faults, ...late, ...missing]);
}

/** Whether it leaves open which variables there are: the request as such, or a place where they stand. */
function concernsVariables({ pointer }: Fault): boolean {
  return pointer === '' || pointer.startsWith('/variable_values') || pointer.startsWith('/recipients');
}

function findMissing(
  { snapshot }: Pick<CustomerDeps, 'snapshot'>,
  { customerId }: CustomerConfig,
  request: SendRequest,
): Fault[] {
  const template = snapshot.current().template(customerId, request.templateNo);
  return template?.status === 'active' ? checkVariables(template.compiled.used, request) : [];
}
