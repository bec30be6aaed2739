// One request in six languages. Signing is written once, in `docs/signing/call.*`, and every example calls it.

import { PLACEHOLDERS, type PlaceholderName, placeholder } from '#src/http/docs/placeholder.js';
import { PHP, PYTHON, TYPESCRIPT, writeJson, writeLiteral } from './literals.js';

export interface ApiRequest {
  readonly name: string;
  readonly method: string;
  /** With `{task_no}` and the like in it. */
  readonly path: string;
  readonly body: unknown;
  readonly isSigned: boolean;
}

export interface LanguageExample {
  readonly language: 'curl' | 'TypeScript' | 'Python' | 'Go' | 'Java' | 'PHP';
  /** As the highlighter calls it. */
  readonly syntax: string;
  readonly code: string;
}

export function writeExamples(request: ApiRequest): LanguageExample[] {
  const target = fillPath(request);
  const body = fillBody(request);
  const { method } = request;
  return [
    {
      language: 'curl',
      syntax: 'bash',
      code: request.isSigned ? writeSignedCurl(method, target, body) : writeBearerCurl(method, target, body),
    },
    { language: 'TypeScript', syntax: 'typescript', code: writeTypeScript(method, target, body) },
    { language: 'Python', syntax: 'python', code: writePython(method, target, body) },
    { language: 'Go', syntax: 'go', code: writeGo(method, target, body) },
    { language: 'Java', syntax: 'java', code: writeJava(method, target, body) },
    { language: 'PHP', syntax: 'php', code: writePhp(method, target, body) },
  ];
}

/** What removes something is not filled in: a copied line must not take the demo apart. */
function isFilled({ method }: ApiRequest): boolean {
  return method !== 'DELETE';
}

function fillPath(request: ApiRequest): string {
  return request.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    isFilled(request) && isPlaceholder(name) ? placeholder(name) : name.toUpperCase(),
  );
}

function fillBody({ body, name }: ApiRequest): unknown {
  if (body === undefined || typeof body !== 'object' || body === null) return body;
  return Object.fromEntries(
    Object.entries(body).map(([field, value]) => {
      if (typeof value === 'string' && isPlaceholder(field) && name !== 'createFirm')
        return [field, placeholder(field)];
      if (Array.isArray(value) && (field === 'target_firms' || field === 'firms'))
        return [field, [placeholder('firm')]];
      return [field, value];
    }),
  );
}

function isPlaceholder(name: string): name is PlaceholderName {
  return Object.hasOwn(PLACEHOLDERS, name);
}

function writeSignedCurl(method: string, target: string, body: unknown): string {
  const words = `call ${method} ${quoteTarget(target)}`;
  return body === undefined ? words : `${words} '${writeJson(body).replaceAll("'", "'\\''")}'`;
}

function writeBearerCurl(method: string, target: string, body: unknown): string {
  const lines = [
    `curl -X ${method} ${placeholder('url')}${target}`,
    `-H "Authorization: Bearer $(cat ${placeholder('operator_token_file')})"`,
    ...(body === undefined
      ? []
      : ["-H 'Content-Type: application/json'", `-d '${writeJson(body).replaceAll("'", "'\\''")}'`]),
  ];
  return lines.join(' \\\n  ');
}

/** A question mark or an ampersand means something to a shell. */
function quoteTarget(target: string): string {
  return /[?&]/.test(target) ? `'${target}'` : target;
}

function writeTypeScript(method: string, target: string, body: unknown): string {
  const given = body === undefined ? '' : `, ${writeLiteral(body, TYPESCRIPT)}`;
  return `import { call } from './call.ts';\n\nconsole.log(await call('${method}', '${target}'${given}));`;
}

function writePython(method: string, target: string, body: unknown): string {
  const given = body === undefined ? '' : `, ${writeLiteral(body, PYTHON)}`;
  return `from call import call\n\nprint(call("${method}", "${target}"${given}))`;
}

function writePhp(method: string, target: string, body: unknown): string {
  const given = body === undefined ? '' : `, ${writeLiteral(body, PHP)}`;
  return `<?php\nrequire 'call.php';\n\nprint_r(call('${method}', '${target}'${given}));`;
}

function writeJava(method: string, target: string, body: unknown): string {
  const inside = '                ';
  const given = body === undefined ? '""' : `"""\n${inside}${writeJson(body, inside)}"""`;
  return [
    'public class Example {',
    '    public static void main(String[] arguments) throws Exception {',
    `        System.out.println(Call.call("${method}", "${target}", ${given}));`,
    '    }',
    '}',
  ].join('\n');
}

function writeGo(method: string, target: string, body: unknown): string {
  const given = body === undefined ? '""' : `\`${writeJson(body, '\t')}\``;
  return [
    'package main',
    '',
    'import (\n\t"fmt"\n\t"log"\n)',
    '',
    'func main() {',
    `\tanswer, err := call("${method}", "${target}", ${given})`,
    '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}',
    '\tfmt.Println(answer)',
    '}',
  ].join('\n');
}
