// The lines that a person sees when the service is up. Paths and commands are absolute: the next terminal may be in another folder.

import { join, resolve } from 'node:path';
import { formatCommand, formatProgram, quoteForShell } from './checkout.js';
import type { Config } from './config.js';
import type { DemoCredentials } from './demo.js';
import { DEMO_FILE } from './demo-names.js';

export interface StartedService {
  readonly url: string;
  readonly demo: DemoCredentials | undefined;
  readonly signInLinks: { readonly customer: string; readonly operator: string } | undefined;
}

export function describeStart(
  config: Pick<Config, 'dataDir' | 'operatorToken'>,
  { url, demo, signInLinks }: StartedService,
): string {
  const folder = resolve(config.dataDir);
  const tokenFile = join(folder, 'operator-token');
  const token = config.operatorToken === undefined ? tokenFile : 'as POSTRIDER_OPERATOR_TOKEN says';
  const lines = [
    `Postrider is ready on ${url}`,
    '',
    `  Console           ${url}/console/`,
    `  Documentation     ${url}/docs`,
    `  Operator token    ${token}`,
  ];
  if (demo !== undefined) lines.push(`  Demo credentials  ${join(folder, DEMO_FILE)}`);
  if (signInLinks !== undefined) {
    lines.push(
      '',
      'Look around; each link signs in once, and only from this machine:',
      '',
      `  As the demo customer  ${signInLinks.customer}`,
      `  As the operator       ${signInLinks.operator}`,
    );
  }
  if (demo !== undefined) {
    lines.push(
      '',
      'Send a message to a simulated handset and watch it arrive, in another terminal:',
      '',
      `  ${formatCommand(folder, 'send 13800139001 --var p1=Ann')}`,
    );
  }
  if (demo === undefined && config.operatorToken === undefined) {
    const invite = 'user create --email you@example.com --name You --role admin';
    lines.push(
      '',
      'Create a link that signs the first operator in to the console, in another terminal:',
      '',
      `  POSTRIDER_OPERATOR_TOKEN="$(cat ${quoteForShell(tokenFile)})" ${formatProgram()} ${invite} --url ${url}`,
    );
  }
  return `\n${lines.join('\n')}\n\n`;
}
