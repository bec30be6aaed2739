// Files of the Go SDK that follow from the service. `npm run generate` writes them anew.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkout } from '../../support/service-process.js';
import { createApiModel } from '../model.js';
import { formatGo } from './templates.js';

test.each(Object.entries(formatGo(createApiModel())))('%s is that of the API', async (path, text) => {
  await expect(text).toMatchFileSnapshot(join(checkout, 'sdks/go', path));
});
