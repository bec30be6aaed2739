import { type BodyBudget, type BodyBudgetLimits, createBodyBudget } from './body-budget.js';
import { createBodyReader, type ReadBody } from './raw-body.js';

/** The bodies of all requests to one server: how they are read, and from which part of the memory. */
export interface Bodies extends BodyBudget {
  readonly read: ReadBody;
}

export function createBodies(limits: BodyBudgetLimits): Bodies {
  return { ...createBodyBudget(limits), read: createBodyReader(limits) };
}
