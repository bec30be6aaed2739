// POST /openapi/v1/messages/preview/: what a send would come to, before it is made.

import { errorText } from '../../../domain/fault/error-text.js';
import { formatMoney } from '../../../domain/money/money.js';
import { suggestPhone } from '../../../domain/phone/suggest-phone.js';
import { describeReceipt } from '../../../domain/record/receipt-codes.js';
import { payloadOf } from '../../../domain/request/payload.js';
import { SendRequestSchema } from '../../../domain/request/send-request-schema.js';
import { addSenderSignature } from '../../../domain/rules/signature.js';
import { previewTask } from '../../../pipeline/prepare/preview.js';
import { examples } from '../../examples.js';
import { Problem } from '../../problem/problem.js';
import { type Route, requireRoom } from '../../route.js';
import type { CustomerCall } from '../access/admit.js';
import type { CustomerDeps } from '../deps.js';
import { PreviewSchema } from '../schemas/preview.js';
import { readRequest } from './read-request.js';
import { resolveRequest } from './resolve-request.js';

export function previewRoute(deps: CustomerDeps): Route<CustomerCall> {
  return {
    method: 'POST',
    path: '/openapi/v1/messages/preview/',
    name: 'previewMessages',
    tag: 'Messages',
    summary: 'Preview a send: price, rejections and texts',
    description:
      'The body of a send, checked, routed and priced as preparing would at this moment. Nothing is stored, reserved or sent, and no `client_request_id` is needed. All rejected numbers are counted, the first 100 named.',
    body: { schema: SendRequestSchema, example: examples.sendRequest },
    answer: {
      status: 200,
      description: 'What the send would come to.',
      schema: PreviewSchema,
      example: examples.preview,
    },
    problems: ['template_unavailable', 'service_account_unavailable', 'firm_unavailable'],
    handle: (call) => preview(deps, call),
    changesNothing: true,
  };
}

async function preview(deps: CustomerDeps, call: CustomerCall) {
  const { customer } = call;
  requireRoom(`${customer.customerId}`);
  const request = await readRequest(deps, call);
  const resolved = await resolveRequest(deps, customer, request);
  if (resolved instanceof Problem) throw resolved;
  const found = await previewTask(
    { sql: deps.sql, snapshot: () => deps.snapshot.current(), region: deps.defaultRegion },
    {
      bucket: customer.bucket,
      customerId: customer.customerId,
      payload: payloadOf(request, addSenderSignature(resolved.template.body, resolved.serviceAccount)),
      templateId: resolved.template.templateId,
      serviceAccountId: resolved.serviceAccount.serviceAccountId,
      targetFirms: request.targetFirms,
      sendAt: request.sendAt ?? null,
    },
  );
  if (found === undefined) throw new Problem('template_unavailable', errorText('template_just_disabled'));
  return {
    total: request.phones.length,
    sendable: found.sendable,
    rejected: found.rejected,
    parts: found.parts,
    price: formatMoney(found.price),
    currency: customer.currency,
    available: formatMoney(found.available),
    affordable: found.obstacle === undefined,
    waits_for: found.obstacle ?? null,
    firms: found.firms.map(({ firm, numbers, parts, unitPrice, price }) => ({
      firm,
      numbers,
      parts,
      unit_price: formatMoney(unitPrice),
      price: formatMoney(price),
    })),
    rejections: found.rejections.map(({ seq, phone, result, code }) => ({
      seq,
      phone,
      code,
      description: describeReceipt(result, code),
      suggested_phone: code === 'invalid_number' ? (suggestPhone(phone, deps.defaultRegion) ?? null) : null,
    })),
    samples: found.samples.map((sample) => ({ ...sample, price: formatMoney(sample.price) })),
  };
}
