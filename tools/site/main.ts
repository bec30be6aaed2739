// Run by the build: renders the documentation of this checkout into a folder. `node site/main.js FOLDER`

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createCustomerApi } from '#src/http/customer/api.js';
import type { CustomerDeps } from '#src/http/customer/deps.js';
import { createOpenApi } from '#src/http/openapi.js';
import type { OperatorDeps } from '#src/http/operator/operator-route.js';
import { createOperatorApi } from '#src/http/operator/routes.js';
import { checkoutFolder } from '#src/service/checkout.js';
import { version } from '#src/service/version.js';
import { type BuiltFile, buildSite } from './build-site.js';

/** The two APIs are described without being served: their handlers, and what those need, are never called. */
export function renderDocumentation(): BuiltFile[] {
  const apis = [createCustomerApi({} as CustomerDeps), createOperatorApi({} as OperatorDeps)];
  const document = createOpenApi(apis, version);
  return buildSite({ root: checkoutFolder, assetFolder: join(checkoutFolder, 'tools/site/assets'), document, apis });
}

export function writeSite(folder: string, files: readonly BuiltFile[]): void {
  for (const { name, body } of files) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, body);
  }
}

const [, program, folder] = process.argv;
if (program === fileURLToPath(import.meta.url) && folder !== undefined) writeSite(folder, renderDocumentation());
