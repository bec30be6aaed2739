// Files of the PHP SDK that follow from the service. `npm run generate` writes them anew.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApiModel } from '../model.js';
import { phpFolder } from './php.js';
import { formatPhp } from './templates.js';

const files = formatPhp(createApiModel());

test('every generated file is that of the API', async () => {
  for (const [path, text] of Object.entries(files)) await expect(text).toMatchFileSnapshot(join(phpFolder, path));
});

test('no class is left of a type that the API has no more', () => {
  const found = readdirSync(join(phpFolder, 'src/Model')).map((name) => `src/Model/${name}`);
  expect(found.filter((path) => !(path in files))).toEqual([]);
});
