import type { OpenApiDocument } from '../openapi.js';
export function renderDocs(document: OpenApiDocument): string {
  return `<!doctype html><title>${document.info.title}</title>`;
}
