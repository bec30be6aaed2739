// The one rule of a send request that needs the template: every placeholder has a value.

import { errorText } from '../fault/error-text.js';
import { addFault, type Fault, isFull } from '../fault/fault.js';
import type { VariableName, Variables } from '../message/template.js';
import type { SendRequest } from './send-request.js';

/**
 * A fault for every placeholder without a value. The pointer names the object or array that lacks it, not the missing
 * entry: which entry that is depends on the form the customer chose, and the message says its name.
 */
export function checkVariables(used: readonly VariableName[], request: SendRequest): Fault[] {
  const faults: Fault[] = [];
  if (used.length === 0) return faults;
  const check = (variables: Variables, pointer: () => string): void => {
    for (const name of used) {
      if (variables[name] === undefined) {
        addFault(faults, pointer(), 'missing_variable', errorText('missing_variable', { name }));
      }
    }
  };
  if (request.recipientVariables === undefined) check(request.variables, () => '/variable_values');
  for (const [at, variables] of request.recipientVariables?.entries() ?? []) {
    if (isFull(faults)) break;
    check(variables, () => `/recipients/${at}/variable_values`);
  }
  return faults;
}
