// What a send request names: its template, its service account, its firms. All must be the caller's to use.

import type { CustomerConfig } from '../../domain/entities/customer.js';
import type { ServiceAccountConfig } from '../../domain/entities/service-account.js';
import type { TemplateConfig } from '../../domain/entities/template.js';
import { checkVariables } from '../../domain/request/check-variables.js';
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
    return new Problem(
      'template_unavailable',
      'template_no does not name an active template of yours. GET /openapi/v1/templates/ lists them.',
    );
  }
  const faults = [...late, ...checkVariables(template.compiled.used, request)];
  if (faults.length > 0) return invalidRequest(faults);
  const account =
    request.serviceAccountNo === undefined
      ? snapshot.serviceAccountById(template.serviceAccountId)
      : snapshot.serviceAccount(customerId, request.serviceAccountNo);
  if (account?.status !== 'active') {
    const which = request.serviceAccountNo === undefined ? "The template's service account" : 'service_account_no';
    return new Problem(
      'service_account_unavailable',
      `${which} is not an active service account of yours. GET /openapi/v1/service-accounts/ lists them.`,
    );
  }
  const firm = request.targetFirms.find((name) => !isUsable(snapshot, customer, template, name));
  if (firm !== undefined) {
    return new Problem(
      'firm_unavailable',
      `The target firm ${JSON.stringify(firm)} cannot be used with this template. GET /openapi/v1/firms/ lists those you can use, GET /openapi/v1/templates/ the firms of the template.`,
    );
  }
  return { template, account };
}

function isUsable(snapshot: Snapshot, { customerId }: CustomerConfig, template: TemplateConfig, firm: string): boolean {
  const isApproved = template.firms === null || template.firms.has(firm);
  return isApproved && snapshot.grantedChannels(customerId).some((channel) => channel.firms.includes(firm));
}
