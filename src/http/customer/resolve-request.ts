// What a send request names: its template, its service account, its firms. All must be the caller's to use.

import type { CustomerConfig } from '../../domain/entities/customer.js';
import type { ServiceAccountConfig } from '../../domain/entities/service-account.js';
import type { TemplateConfig } from '../../domain/entities/template.js';
import { checkVariables } from '../../domain/request/check-variables.js';
import { errorText } from '../../domain/request/error-text.js';
import type { Fault } from '../../domain/request/fault.js';
import type { SendRequest } from '../../domain/request/send-request.js';
import { checkTimes } from '../../domain/task/schedule.js';
import type { Snapshot } from '../../store/snapshot/snapshot.js';
import { invalidRequest, Problem } from '../problem.js';
import type { CustomerDeps } from './deps.js';

export interface Resolved {
  readonly template: TemplateConfig;
  readonly account: ServiceAccountConfig;
}

/** What the request names, or why it cannot be taken now: its times, or what this customer may not use. */
export async function resolveRequest(
  { snapshot, now }: Pick<CustomerDeps, 'snapshot' | 'now'>,
  customer: CustomerConfig,
  request: SendRequest,
): Promise<Resolved | Problem> {
  const late = checkTimes(request, now());
  const resolved = resolve(snapshot.current(), customer, request, late);
  if (!(resolved instanceof Problem)) return resolved;
  // What the request names may have been set up on another node a moment ago.
  await snapshot.refreshIfStale();
  return resolve(snapshot.current(), customer, request, late);
}

function resolve(
  snapshot: Snapshot,
  customer: CustomerConfig,
  request: SendRequest,
  late: readonly Fault[],
): Resolved | Problem {
  const { customerId } = customer;
  const template = snapshot.template(customerId, request.templateNo);
  if (template?.status !== 'active') {
    if (late.length > 0) return invalidRequest(late);
    return new Problem('template_unavailable', errorText('template_not_active'));
  }
  const faults = [...late, ...checkVariables(template.compiled.used, request)];
  if (faults.length > 0) return invalidRequest(faults);
  const account =
    request.serviceAccountNo === undefined
      ? snapshot.serviceAccountById(template.serviceAccountId)
      : snapshot.serviceAccount(customerId, request.serviceAccountNo);
  if (account?.status !== 'active') {
    const isDefault = request.serviceAccountNo === undefined;
    return new Problem(
      'service_account_unavailable',
      errorText(isDefault ? 'default_service_account_not_active' : 'service_account_not_active'),
    );
  }
  const firm = request.targetFirms.find((name) => !isUsable(snapshot, customer, template, name));
  if (firm !== undefined) {
    return new Problem('firm_unavailable', errorText('firm_not_usable', { firm: JSON.stringify(firm) }));
  }
  return { template, account };
}

function isUsable(snapshot: Snapshot, { customerId }: CustomerConfig, template: TemplateConfig, firm: string): boolean {
  const isApproved = template.firms === null || template.firms.has(firm);
  return isApproved && snapshot.grantedChannels(customerId).some((channel) => channel.firms.includes(firm));
}
