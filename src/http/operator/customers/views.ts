import { Type } from '@sinclair/typebox';
import { recordAudit } from '../../../store/operator/change.js';
import { answerOf, Time } from '../../resources/entity-answers.js';
import { issueViewToken, VIEW_MS } from '../../view-grant.js';
import { defineOperation, type OperatorDeps, type OperatorRoute, requireCustomer } from '../operator-route.js';

const CustomerViewAnswer = answerOf(
  { $id: 'CustomerView', description: 'A token that reads what the customer can read, for a limited time.' },
  {
    customer_no: Type.String(),
    name: Type.String(),
    token: Type.String({
      description: 'For `GET` calls of the customer API, as `Authorization: Bearer <token>`. Shown this once.',
    }),
    expires_at: Time(),
  },
);

export function createViewRoute(deps: OperatorDeps): OperatorRoute {
  return defineOperation({
    method: 'POST',
    path: '/customers/{customer_no}/views',
    name: 'viewCustomer',
    permission: 'view',
    tag: 'Customers',
    summary: 'View as customer: a read-only token for 15 minutes',
    description:
      'The token reads everything that the customer can read, also while the customer is suspended, and ends with its time, with the operator, or with the role.',
    answer: { status: 201, schema: CustomerViewAnswer, description: 'The token and when it ends.' },
    handle: async (call) => {
      const { customer_no, terms } = await requireCustomer(deps, call);
      const expiresMs = deps.now() + VIEW_MS;
      const expires_at = new Date(expiresMs).toISOString();
      // Before the token is created: every view is in the audit log.
      await recordAudit(deps.sql, call.actor, {
        action: 'customer.view',
        subject: customer_no,
        change: { expires_at },
      });
      const token = issueViewToken(deps.sealer, { customerNo: customer_no, tokenHash: call.tokenHash, expiresMs });
      return { customer_no, name: terms.name, token, expires_at };
    },
  });
}
