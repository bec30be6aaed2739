// From what was filled in to the requests that send it. The same content makes the same ids, so that sending it once more,
// after a closed tab or a lost connection, creates nothing twice.

import type { SendRequest, VariableName, VariableValues } from '@postrider/client';

export const MAX_PER_REQUEST = 5_000;

/** Where the value of a variable comes from. */
export type VariableSource =
  | { readonly kind: 'column'; readonly column: number }
  | { readonly kind: 'text'; readonly text: string };

export interface Draft {
  readonly templateNo: string;
  readonly firms: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly phoneColumn: number;
  readonly variables: Readonly<Partial<Record<VariableName, VariableSource>>>;
  /** Sends of the same content under another reference are other sends. */
  readonly reference: string;
  /** For people alone: it makes no other send. */
  readonly title: string;
  readonly isSubmitted: boolean;
  readonly sendAt: string | undefined;
  readonly expiresAt: string | undefined;
  readonly hasBatch: boolean;
}

type Body = SendRequest & {
  readonly batch_id?: string;
  readonly send_at?: string;
  readonly expires_at?: string;
};

function valuesOf(draft: Draft, row: readonly string[]): VariableValues {
  const values: Partial<Record<VariableName, string>> = {};
  for (const [name, source] of Object.entries(draft.variables) as [VariableName, VariableSource][]) {
    values[name] = source.kind === 'text' ? source.text : (row[source.column] ?? '');
  }
  return values;
}

/** The body of one request, without the names that make it repeatable. A preview takes it as it is. */
export function buildBody(draft: Draft, rows: readonly (readonly string[])[]): SendRequest {
  const phoneOf = (row: readonly string[]) => row[draft.phoneColumn] ?? '';
  const isPerNumber = Object.values(draft.variables).some((source) => source?.kind === 'column');
  const shared = {
    template_no: draft.templateNo,
    ...(draft.firms.length === 0 ? {} : { target_firms: draft.firms }),
    auto_prepare: true,
    auto_freeze: draft.isSubmitted,
    auto_submit: draft.isSubmitted,
  };
  if (isPerNumber) {
    return {
      ...shared,
      recipients: rows.map((row) => ({ phone: phoneOf(row), variable_values: valuesOf(draft, row) })),
    };
  }
  const hasVariables = Object.keys(draft.variables).length > 0;
  return { ...shared, phones: rows.map(phoneOf), ...(hasVariables ? { variable_values: valuesOf(draft, []) } : {}) };
}

export function cutRows(rows: Draft['rows'], size: number = MAX_PER_REQUEST): Draft['rows'][] {
  return Array.from({ length: Math.ceil(rows.length / size) }, (_, index) =>
    rows.slice(index * size, (index + 1) * size),
  );
}

/** Names the requests after their content. Several are one batch where the service knows batches. */
export async function planSend(draft: Draft): Promise<readonly Body[]> {
  const pieces = cutRows(draft.rows);
  const { sendAt, expiresAt, hasBatch, reference } = draft;
  const times = {
    ...(sendAt === undefined ? {} : { send_at: sendAt }),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
  };
  const digest = await hashText(JSON.stringify([draft.templateNo, draft.firms, draft.rows, draft.variables, times]));
  const name = `${reference === '' ? 'console' : reference}-${digest}`;
  return pieces.map((rows, index) => ({
    ...buildBody(draft, rows),
    ...times,
    ...(draft.title === '' ? {} : { title: draft.title }),
    ...(hasBatch && pieces.length > 1 ? { batch_id: name } : {}),
    client_request_id: pieces.length === 1 ? name : `${name}-${index + 1}`,
  }));
}

async function hashText(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return Array.from(bytes.slice(0, 6), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
