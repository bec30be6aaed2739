// Files of the Java SDK that follow from the service. `npm run generate` writes them anew.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createApiModel } from '../model.js';
import { javaFolder } from './java.js';
import { formatJava } from './templates.js';

const api = createApiModel();
const files = formatJava(api);

test('the generated files are those of the API', async () => {
  for (const [path, text] of Object.entries(files)) await expect(text).toMatchFileSnapshot(join(javaFolder, path));
});

test('there is no generated file of what the API no longer has', async () => {
  const sources = (await readdir(join(javaFolder, 'src'), { recursive: true })).filter((path) =>
    path.endsWith('.java'),
  );
  const texts = await Promise.all(sources.map((path) => readFile(join(javaFolder, 'src', path), 'utf8')));
  const generated = sources
    .filter((_, at) => texts[at]?.startsWith(`// ${api.header}`))
    .map((path) => join('src', path));
  expect(generated.filter((path) => !(path in files))).toEqual([]);
});
