// The calls of the customer API as the OpenAPI document of this very service describes them.

import type { OpenApiDocument } from '../../api/openapi.js';

interface Parameter {
  readonly name: string;
  readonly description?: string;
}

export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string | undefined;
  readonly pathParameters: readonly Parameter[];
  readonly queryParameters: readonly Parameter[];
  /** An example to begin with; undefined where the call takes no body. */
  readonly body: unknown;
}

export function listOperations(document: OpenApiDocument): readonly Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.security?.some((scheme) => 'Signature' in scheme))
      .map(([method, operation]) => {
        const parameters = operation.parameters ?? [];
        return {
          id: operation.operationId,
          method: method.toUpperCase(),
          path,
          summary: operation.summary,
          description: operation.description,
          pathParameters: parameters.filter((parameter) => parameter.in === 'path'),
          queryParameters: parameters.filter((parameter) => parameter.in === 'query'),
          body: operation.requestBody?.content['application/json']?.example,
        };
      }),
  );
}

/** Path and query as they go onto the request line; parameters that are left empty are left out. */
export function buildTarget(operation: Operation, values: Readonly<Record<string, string>>): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));
  const query = new URLSearchParams();
  for (const { name } of operation.queryParameters) {
    const value = values[name];
    if (value !== undefined && value !== '') query.set(name, value);
  }
  const text = query.toString();
  return text === '' ? path : `${path}?${text}`;
}
