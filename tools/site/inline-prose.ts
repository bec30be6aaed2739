// Descriptions of the OpenAPI document: the two bits of Markdown they use, with every code leading to its explanation.

import { escapeText } from '#src/http/docs/placeholder.js';
import { findCode } from './known-codes.js';
import type { Html } from './markup.js';

export function inlineProse(text: string): Html {
  return { html: escapeText(text).replaceAll(/`([^`]+)`/g, (_, code: string) => renderCode(code)) };
}

export function prose(text: string): Html {
  return {
    html: text
      .split(/\n\n+/)
      .map((paragraph) => `<p>${inlineProse(paragraph).html}</p>`)
      .join(''),
  };
}

function renderCode(code: string): string {
  const address = findCode(code, 'en');
  return address === undefined ? `<code>${code}</code>` : `<a class="code" href="${address}"><code>${code}</code></a>`;
}
