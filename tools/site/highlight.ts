// Code is coloured when the documentation is built; the browser gets plain spans.

import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import ini from 'highlight.js/lib/languages/ini';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import yaml from 'highlight.js/lib/languages/yaml';
import { escapeText } from '#src/http/docs/placeholder.js';
import { findCodeOfField } from './known-codes.js';
import { type Html, html } from './markup.js';

const LANGUAGES = { bash, go, ini, java, json, php, python, sql, typescript, yaml };
for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);

const ALIASES: Readonly<Record<string, string>> = { sh: 'bash', ts: 'typescript', js: 'typescript', py: 'python' };

export function highlight(code: string, language: string): string {
  const name = ALIASES[language] ?? language;
  if (!Object.hasOwn(LANGUAGES, name)) return escapeText(code);
  const { value } = hljs.highlight(code, { language: name });
  return name === 'json' ? linkCodes(value) : value;
}

/** A block that scrolls horizontally if needed, and is focusable by keyboard. */
export function renderBlock(code: string, language: string, label = 'Code'): Html {
  const kind = language === 'text' ? 'output' : 'code';
  return html`<div class="block ${kind}"><pre tabindex="0" aria-label="${label}"><code>${{ html: highlight(code.trimEnd(), language) }}</code></pre></div>`;
}

const JSON_FIELD =
  /(<span class="hljs-attr">&quot;(\w+)&quot;<\/span><span class="hljs-punctuation">:<\/span>\s*<span class="hljs-string">&quot;)(\w+)(&quot;<\/span>)/g;

/** A stage, a result or a code in an answer leads to its explanation. */
function linkCodes(highlighted: string): string {
  return highlighted.replaceAll(JSON_FIELD, (whole, before: string, field: string, value: string, after: string) => {
    const address = findCodeOfField(field, value);
    return address === undefined ? whole : `${before}<a href="${address}">${value}</a>${after}`;
  });
}
