// What a person sees when the service is up.

import { resolve } from 'node:path';
import type { Config } from './config.js';

export async function describeStart(config: Config, url: string): Promise<string> {
  const dataDir = resolve(config.dataDir);
  return [
    '',
    `Postrider is ready on ${url}`,
    `  API reference   ${url}/docs`,
    `  Operator token  ${config.operatorToken === undefined ? `${dataDir}/operator-token` : 'as POSTRIDER_OPERATOR_TOKEN says'}`,
    '',
    '',
  ].join('\n');
}
