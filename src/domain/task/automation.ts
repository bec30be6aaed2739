// What moves a task on by itself: what the request asked for, narrowed or widened by the customer's configuration.

export type Step = 'prepare' | 'freeze' | 'submit';
export type StepChoice = 'by_request' | 'always' | 'manual';
export type Policy = { readonly [step in Step]: StepChoice };

export interface RequestedSteps {
  readonly autoPrepare: boolean;
  readonly autoFreeze: boolean;
  readonly autoSubmit: boolean;
}

export function isAutomatic(step: Step, requested: RequestedSteps, policy: Policy): boolean {
  const asked = { prepare: requested.autoPrepare, freeze: requested.autoFreeze, submit: requested.autoSubmit };
  return policy[step] === 'by_request' ? asked[step] : policy[step] === 'always';
}
