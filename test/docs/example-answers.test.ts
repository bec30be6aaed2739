// The examples of the OpenAPI document are what the service answers: every call has one, with exactly its fields.

import { expect, it } from 'vitest';
import { createCustomerApi } from '../../src/http/customer/api.js';
import type { CustomerDeps } from '../../src/http/customer/deps.js';
import { createOpenApi } from '../../src/http/openapi.js';
import type { OperatorDeps } from '../../src/http/operator/operator-route.js';
import { createOperatorApi } from '../../src/http/operator/routes.js';
import { type Document, findFaults } from './answer-shapes.js';

const document = createOpenApi([createCustomerApi({} as CustomerDeps), createOperatorApi({} as OperatorDeps)], '0.0.0');
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

it.each(operations.map((operation) => [operation.operationId, operation] as const))('%s', (_, operation) => {
  const answers = Object.entries(operation.responses).filter(([status]) => Number(status) < 300);
  for (const [status, { content }] of answers) {
    const example = content?.['application/json']?.example;
    if (status === '204') continue;
    expect(example).toBeDefined();
    expect(findFaults(document as unknown as Document, example)).toEqual([]);
  }
  const body = operation.requestBody?.content['application/json'];
  if (body !== undefined) expect(body.example).toBeDefined();
});
