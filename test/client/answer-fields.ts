// The fields of the answers that the command line shows whole, in the order of the API.

import { readFileSync } from 'node:fs';
import { CURSOR_FIELD, columnsOf } from '../../src/http/export-rows.js';
import { propertiesOf } from './schema-to-type.js';
import { answerSchemas } from './wire-types.js';

const SHAPES = ['shapes', 'operator-shapes'];

/** The columns of an export. What is only there on request is none. */
function fieldsOf(name: string): string[] {
  const schema = answerSchemas[name];
  if (schema === undefined) throw new Error(`The API has no answer ${name}`);
  const always = propertiesOf(schema).filter(([field]) => (schema.required as string[]).includes(field));
  return columnsOf({ properties: Object.fromEntries(always) } as never).filter((column) => column !== CURSOR_FIELD);
}

/** Those that the shapes name. */
export function formatAnswerFields(): string {
  const sources = SHAPES.map((name) =>
    readFileSync(new URL(`../../src/cli/output/${name}.ts`, import.meta.url), 'utf8'),
  );
  const names = new Set([...sources.join('').matchAll(/fieldsOf\('(\w+)'/g)].map(([, name = '']) => name));
  const lines = [...names].sort().map((name) => {
    const fields = fieldsOf(name).map((field) => `'${field}'`);
    return `  ${name}: [${fields.join(', ')}],\n`;
  });
  return `/** The fields of answers, in the order of the API. */\nexport const ANSWER_FIELDS = {\n${lines.join('')}} as const;\n`;
}
