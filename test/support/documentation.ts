// The documentation of this checkout, served without a database, as the service serves it.

import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import type { DocsOptions } from '../../src/http/docs/docs.js';
import { createHttpServer } from '../../src/http/server.js';
import { renderDocumentation, writeSite } from '../../tools/site/main.js';

export interface ServedDocumentation {
  readonly app: FastifyInstance;
  readonly url: string;
  stop(): Promise<void>;
}

export async function serveDocumentation(
  exampleValues?: NonNullable<DocsOptions['exampleValues']>,
): Promise<ServedDocumentation> {
  const siteFolder = await mkdtemp(join(tmpdir(), 'postrider-site-'));
  writeSite(siteFolder, renderDocumentation());
  const app = createHttpServer({
    log: pino({ level: 'silent' }),
    registry: new Registry(),
    version: '0.0.0-test',
    ready: async () => [],
    apis: [],
    docs: { siteFolder, ...(exampleValues === undefined ? {} : { exampleValues }) },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  return {
    app,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      await app.close();
      await rm(siteFolder, { recursive: true, force: true });
    },
  };
}
