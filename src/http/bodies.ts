import { type BodyBudget, type BodyBudgetLimits, makeBodyBudget } from './body-budget.js';
import { makeBodyReader, type ReadBody } from './raw-body.js';

/** The bodies of all requests to one server: how they are read, and from which part of the memory. */
export interface Bodies extends BodyBudget {
  readonly read: ReadBody;
}

export function makeBodies(limits: BodyBudgetLimits): Bodies {
  return { ...makeBodyBudget(limits), read: makeBodyReader(limits) };
}
