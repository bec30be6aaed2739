// One call of the API: what it takes and answers on one side, how it is made on the other.

import type { OpenApiOperation, OpenApiResponse } from '#src/http/openapi.js';
import { renderBlock } from '../highlight.js';
import { inlineProse, prose } from '../inline-prose.js';
import { type Html, html } from '../markup.js';
import { renderTabs } from '../tabs.js';
import { writeJson } from './literals.js';
import { writeExamples } from './request-examples.js';
import { type Components, renderField, renderSchema } from './schema-view.js';

export interface ApiCall {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

export function renderOperation(call: ApiCall, components: Components): Html {
  const { method, path, operation } = call;
  const id = operation.operationId;
  const [status, answer] = successOf(operation);
  const example = answer?.content?.['application/json'];
  return html`<section class="operation" aria-labelledby="${id}"><h2 id="${id}">${operation.summary}<a class="anchor" href="#${id}" aria-label="Link to this call">#</a></h2>
<p class="path"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakable(path)}</code></p>
<div class="columns"><div class="said">${operation.description === undefined ? undefined : prose(operation.description)}
${renderParameters(operation, components)}${renderBody(operation, components)}
<h3>Answer</h3>${answer === undefined ? undefined : html`<p><span class="status">${status}</span> ${inlineProse(answer.description)}</p>`}
${example === undefined ? undefined : html`<details><summary>Fields of the answer</summary>${renderSchema(example.schema, components)}</details>`}
${renderFiles(answer)}
<h3>Problems</h3>${renderProblems(operation)}</div>
<div class="shown">${renderTabs(`in-${id}`, 'Request', writeExamples(requestOf(call)))}
${example?.example === undefined ? undefined : html`<div class="answer"><p class="caption">Answer <span class="status">${status}</span></p>${renderBlock(writeJson(example.example), 'json', 'Answer')}</div>`}</div></div></section>`;
}

function requestOf({ method, path, operation }: ApiCall) {
  return {
    name: operation.operationId,
    method,
    path,
    body:
      operation.requestBody?.required === true ? operation.requestBody.content['application/json']?.example : undefined,
    isSigned: operation.security.some((scheme) => 'Signature' in scheme),
  };
}

function renderParameters(operation: OpenApiOperation, components: Components): Html | undefined {
  if (operation.parameters === undefined) return undefined;
  const rows = operation.parameters.map(({ name, in: place, description, schema }) =>
    renderField(
      name,
      place === 'path' ? 'in the path' : undefined,
      schema,
      components,
      description === undefined ? undefined : inlineProse(description),
    ),
  );
  return html`<h3>Parameters</h3><div class="fields">${rows}</div>`;
}

/** What else than JSON the answer can be. */
function renderFiles(answer: OpenApiResponse | undefined): Html[] {
  return Object.entries(answer?.content ?? {})
    .filter(([type]) => type !== 'application/json')
    .map(([type, { schema }]) => {
      const said = inlineProse(String(schema.description ?? ''));
      return html`<details><summary>With <code>Accept: ${type}</code></summary><p>${said}</p></details>`;
    });
}

function renderBody({ requestBody }: OpenApiOperation, components: Components): Html | undefined {
  const body = requestBody?.content['application/json'];
  if (requestBody === undefined || body === undefined) return undefined;
  return html`<h3>Body${requestBody.required ? undefined : html` <span class="optional">optional</span>`}</h3>${renderSchema(body.schema, components)}`;
}

function renderProblems(operation: OpenApiOperation): Html {
  const rows = Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(
      ([status, { description }]) => html`<li><span class="status">${status}</span> ${inlineProse(description)}</li>`,
    );
  return html`<ul class="problems">${rows}</ul>`;
}

function successOf(operation: OpenApiOperation): [string, OpenApiResponse | undefined] {
  return Object.entries(operation.responses).find(([status]) => Number(status) < 400) ?? ['', undefined];
}

/** A long path may be broken at its slashes, and nowhere else. */
function breakable(path: string): Html {
  return { html: html`${path}`.html.replaceAll('/', '/<wbr>') };
}
