// The API reference as one page, rendered from the OpenAPI document: what it says is what the service does.

import type { OpenApiDocument, OpenApiOperation, OpenApiResponse } from '../openapi.js';
import { renderCurl } from './curl.js';
import { type Html, html, inlineProse, prose } from './markup.js';
import { type Components, constraintsOf, renderSchema, typeOf } from './schema-view.js';
import { STYLE } from './style.js';

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: OpenApiOperation;
}

export function renderDocs(document: OpenApiDocument): string {
  const { info, tags, components } = document;
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): Entry => ({ method: method.toUpperCase(), path, operation })),
  );
  const ofTag = (name: string) => entries.filter(({ operation }) => operation.tags.includes(name));
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${info.title} API reference</title><style>${{ html: STYLE }}</style></head><body><div class="page">
<nav><h1>${info.title}</h1><p class="version">${info.version} · <a href="/openapi.json">openapi.json</a></p>
<ul><li><a href="#introduction">Introduction</a></li></ul>
${tags.map(({ name }) => renderNavigation(name, ofTag(name)))}</nav>
<main><h1 id="introduction">API reference</h1>${prose(info.description)}
${tags.map(({ name, description }) => html`<h2 class="tag">${name}</h2>${prose(description)}${ofTag(name).map((entry) => renderOperation(entry, components.schemas))}`)}
</main></div></body></html>`;
  return page.html;
}

function renderNavigation(tag: string, entries: readonly Entry[]): Html {
  const links = entries.map(
    ({ method, operation }) =>
      html`<li><a href="#${operation.operationId}"><span class="method ${method.toLowerCase()}">${method}</span>${operation.summary}</a></li>`,
  );
  return html`<h2>${tag}</h2><ul>${links}</ul>`;
}

function renderOperation({ method, path, operation }: Entry, components: Components): Html {
  const body = operation.requestBody?.content['application/json'];
  const [status, answer] = successOf(operation);
  const example = answer?.content?.['application/json'];
  return html`<section class="operation" id="${operation.operationId}"><h3>${operation.summary}</h3>
<div class="path"><span class="method ${method.toLowerCase()}">${method}</span><code>${path}</code></div>
${operation.description === undefined ? undefined : prose(operation.description)}
<div class="columns"><div>
${renderParameters(operation, components)}
${body === undefined ? undefined : html`<h4>Body${operation.requestBody?.required === true ? undefined : ' (optional)'}</h4>${renderSchema(body.schema, components)}`}
<h4>Answer ${status}</h4>${answer === undefined ? undefined : html`<p>${inlineProse(answer.description)}</p>`}
${example === undefined ? undefined : html`<details><summary>fields</summary>${renderSchema(example.schema, components)}</details>`}
<h4>Problems</h4>${renderProblems(operation)}
</div><div>
<h4>Request</h4><pre><code>${renderCurl(method, path, operation)}</code></pre>
${example?.example === undefined ? undefined : html`<h4>Answer</h4><pre><code>${JSON.stringify(example.example, null, 2)}</code></pre>`}
</div></div></section>`;
}

function renderParameters(operation: OpenApiOperation, components: Components): Html | undefined {
  if (operation.parameters === undefined) return undefined;
  const rows = operation.parameters.map(
    ({ name, in: place, description, schema }) => html`<div class="field">
<div class="name"><code>${name}</code>${place === 'path' ? html`<span class="optional">in the path</span>` : undefined}</div>
<div class="what"><span class="type">${typeOf(schema, components)}</span> ${constraintsOf(schema)} ${description === undefined ? undefined : html`<div>${inlineProse(description)}</div>`}</div></div>`,
  );
  return html`<h4>Parameters</h4><div class="fields">${rows}</div>`;
}

function renderProblems(operation: OpenApiOperation): Html {
  const rows = Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(
      ([status, { description }]) =>
        html`<tr><td class="status">${status}</td><td>${inlineProse(description)}</td></tr>`,
    );
  return html`<table>${rows}</table>`;
}

function successOf(operation: OpenApiOperation): [string, OpenApiResponse | undefined] {
  return Object.entries(operation.responses).find(([status]) => Number(status) < 400) ?? ['', undefined];
}
