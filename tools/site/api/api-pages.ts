// The calls of both APIs, a page for each group of them, from the OpenAPI document: what it says is what the service does.

import { placeholder } from '#src/http/docs/placeholder.js';
import type { ApiDescription, OpenApiDocument } from '#src/http/openapi.js';
import { renderBlock } from '../highlight.js';
import { prose } from '../inline-prose.js';
import type { MenuEntry, PageContent } from '../layout.js';
import { type Html, html, slugify } from '../markup.js';
import type { SearchEntry } from '../search-index.js';
import type { Section } from '../sections.js';
import { type ApiCall, renderOperation } from './operation.js';

export interface ApiPage {
  readonly section: Section;
  readonly entry: MenuEntry;
  readonly content: PageContent;
  readonly found: readonly SearchEntry[];
}

/** What is said on the page of a group beside its calls. */
export type Addition = readonly [group: string, said: Html];

export function createApiPages(
  document: OpenApiDocument,
  apis: readonly ApiDescription[],
  additions: readonly Addition[],
): ApiPage[] {
  const calls = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): ApiCall => ({ method: method.toUpperCase(), path, operation })),
  );
  return apis.flatMap((api) =>
    api.tags.map(({ name, description }) => {
      const own = calls.filter(
        ({ operation }) => operation.tags.includes(name) && isSigned(operation) === (api.security === 'signature'),
      );
      return createPage(document, {
        api,
        name,
        description,
        calls: own,
        additions: additions.filter(([group]) => group === name).map(([, said]) => said),
      });
    }),
  );
}

interface Group {
  readonly api: ApiDescription;
  readonly name: string;
  readonly description: string;
  readonly calls: readonly ApiCall[];
  readonly additions: readonly Html[];
}

function createPage(document: OpenApiDocument, { api, name, description, calls, additions }: Group): ApiPage {
  const isCustomer = api.security === 'signature';
  const path = `/docs/api/${isCustomer ? 'customer' : 'operator'}/${slugify(name)}`;
  const entry: MenuEntry = {
    path,
    title: name,
    calls: calls.map(({ method, operation }) => ({ id: operation.operationId, method, title: operation.summary })),
  };
  const intro = isCustomer ? html`${prose(description)}${customerStart()}` : operatorStart();
  const body = html`<p class="kicker">${isCustomer ? 'Customer API' : 'Operator API'}</p><h1>${name}</h1>${intro}
${calls.map((call) => renderOperation(call, document.components.schemas))}${additions}`;
  return {
    section: isCustomer ? 'Customer API' : 'Operator API',
    entry,
    content: {
      language: 'en',
      path,
      title: name,
      description: `${name}: ${calls.length} calls with examples.`,
      kind: 'api',
      body,
      headings: [],
    },
    found: calls.map((call) => describeCall(path, name, call)),
  };
}

function describeCall(path: string, page: string, { method, path: target, operation }: ApiCall): SearchEntry {
  const names = operation.parameters?.map(({ name }) => name).join(' ') ?? '';
  const text = `${method} ${target} ${operation.description ?? ''} ${names}`;
  return { page, title: operation.summary, path: `${path}#${operation.operationId}`, text };
}

function isSigned(operation: ApiCall['operation']): boolean {
  return operation.security.some((scheme) => 'Signature' in scheme);
}

function customerStart(): Html {
  const lines = [
    `export POSTRIDER_URL=${placeholder('url')}`,
    `export POSTRIDER_API_KEY=${placeholder('api_key')}`,
    `export POSTRIDER_API_SECRET=${placeholder('api_secret')}`,
    'curl -sSO "$POSTRIDER_URL/docs/files/signing/call.sh" && source ./call.sh',
  ];
  return html`<details class="note" open><summary>Before the first example</summary>
<p>Each example makes one request with <code>call</code>, which signs and sends it; <a href="/docs/signing#one-call">it is written once</a>, in each language, and reads the key from the environment. In a terminal:</p>
${renderBlock(lines.join('\n'), 'bash', 'Set up')}</details>`;
}

function operatorStart(): Html {
  const lines = [
    `export POSTRIDER_URL=${placeholder('url')}`,
    `export POSTRIDER_OPERATOR_TOKEN=$(cat ${placeholder('operator_token_file')})`,
  ];
  return html`<details class="note" open><summary>Before the first example</summary>
<p>The token of the operator is a file of the data folder, or what <code>POSTRIDER_OPERATOR_TOKEN</code> of the service says. Other languages than curl use <a href="/docs/signing#one-call"><code>call</code></a> and read the environment:</p>
${renderBlock(lines.join('\n'), 'bash', 'Set up')}</details>`;
}
