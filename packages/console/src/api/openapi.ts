// What this very service can do, from the document that describes it.

import { queryOptions, useQuery } from '@tanstack/react-query';

interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly description?: string;
}

interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly OpenApiParameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> };
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
}

export const SEND_PATH = '/openapi/v1/messages/send/';

/** Fetched once: it does not change while the service runs. */
export const openApiQuery = queryOptions({
  queryKey: ['openapi'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) => {
    const response = await fetch('/openapi.json', { signal });
    return (await response.json()) as OpenApiDocument;
  },
});

export function useOpenApi() {
  return useQuery(openApiQuery);
}

/** Whether a send may carry a field. An older service would refuse it. */
export function useSendTakes(field: string): boolean {
  const { data } = useOpenApi();
  return data !== undefined && JSON.stringify(data.paths[SEND_PATH]?.post ?? {}).includes(`"${field}"`);
}
