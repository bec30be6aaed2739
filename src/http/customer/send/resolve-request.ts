// Looks up what a send request refers to: template, service account, firms. The customer must be allowed to use all of them.

import type { CustomerConfig } from '../../../domain/entities/customer.js';
import type { ServiceAccountConfig } from '../../../domain/entities/service-account.js';
import type { TemplateConfig } from '../../../domain/entities/template.js';
import { errorText } from '../../../domain/fault/error-text.js';
import type { Fault } from '../../../domain/fault/fault.js';
import { checkVariables } from '../../../domain/request/check-variables.js';
import type { SendRequest } from '../../../domain/request/send-request.js';
import { checkTimes } from '../../../domain/task/schedule.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import { invalidRequest, Problem } from '../../problem/problem.js';
import type { CustomerDeps } from '../deps.js';

export interface ResolvedRequest {
  readonly template: TemplateConfig;
  readonly serviceAccount: ServiceAccountConfig;
}

/** Returns a problem if the times have passed or the customer may not use what the request refers to. */
export async function resolveRequest(
  { snapshot, now }: Pick<CustomerDeps, 'snapshot' | 'now'>,
  customer: CustomerConfig,
  request: SendRequest,
): Promise<ResolvedRequest | Problem> {
  const timeFaults = checkTimes(request, now());
  const resolved = resolve(snapshot.current(), customer, request, timeFaults);
  if (!(resolved instanceof Problem)) return resolved;
  // What is missing may have been created on another node a moment ago.
  await snapshot.refreshIfStale();
  return resolve(snapshot.current(), customer, request, timeFaults);
}

function resolve(
  snapshot: Snapshot,
  customer: CustomerConfig,
  request: SendRequest,
  timeFaults: readonly Fault[],
): ResolvedRequest | Problem {
  const { customerId } = customer;
  const template = snapshot.template(customerId, request.templateNo);
  if (template?.status !== 'active') {
    // An invalid request is reported before anything that is unavailable.
    if (timeFaults.length > 0) return invalidRequest(timeFaults);
    return new Problem('template_unavailable', errorText('template_not_active'));
  }
  const faults = [...timeFaults, ...checkVariables(template.compiled.used, request)];
  if (faults.length > 0) return invalidRequest(faults);
  const { serviceAccountNo } = request;
  const isDefault = serviceAccountNo === undefined;
  const serviceAccount = isDefault
    ? snapshot.serviceAccountById(template.serviceAccountId)
    : snapshot.serviceAccount(customerId, serviceAccountNo);
  if (serviceAccount?.status !== 'active') {
    return new Problem(
      'service_account_unavailable',
      errorText(isDefault ? 'default_service_account_not_active' : 'service_account_not_active'),
    );
  }
  const firm = request.targetFirms.find((name) => !isFirmUsable(snapshot, customer, template, name));
  if (firm !== undefined) {
    return new Problem('firm_unavailable', errorText('firm_not_usable', { firm: JSON.stringify(firm) }));
  }
  return { template, serviceAccount };
}

function isFirmUsable(
  snapshot: Snapshot,
  { customerId }: CustomerConfig,
  template: TemplateConfig,
  firm: string,
): boolean {
  const isApproved = template.firms === null || template.firms.has(firm);
  return isApproved && snapshot.grantedChannels(customerId).some((channel) => channel.firms.includes(firm));
}
