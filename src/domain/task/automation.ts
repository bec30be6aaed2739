// Which steps of a task are automatic: as the request asks, restricted or extended by the customer's policy.

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
