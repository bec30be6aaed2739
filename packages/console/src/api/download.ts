// Everything of a list as a file: signed like every other call, streamed by the service, saved by the browser.

import { signRequest } from '@postrider/client';
import { type CustomerSession, isUser, isView } from '../session/session.js';

export class DownloadRefused extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export async function signHeaders(
  session: CustomerSession,
  content: { readonly method: string; readonly target: string; readonly body: string },
): Promise<Record<string, string>> {
  if (isView(session)) return { authorization: `Bearer ${session.viewToken}` };
  if (isUser(session)) return { 'x-csrf-token': session.csrfToken };
  const { apiKey, apiSecret } = session;
  const timestampMs = Date.now();
  return {
    'x-api-key': apiKey,
    'x-timestamp': String(timestampMs),
    'x-sign': await signRequest(apiSecret, { ...content, timestampMs }),
  };
}

type ExportType = 'text/csv' | 'application/x-ndjson';

/** All rows of a list; refused with the reason of the service. */
export async function openExport(session: CustomerSession, target: string, type: ExportType): Promise<Response> {
  const headers = await signHeaders(session, { method: 'GET', target, body: '' });
  const response = await fetch(target, { headers: { ...headers, accept: type } });
  if (!response.ok) {
    const problem = await response.json().catch(() => ({}));
    throw new DownloadRefused(response.status, String(problem.detail ?? response.statusText));
  }
  return response;
}

export async function downloadCsv(session: CustomerSession, target: string, fileName: string): Promise<void> {
  saveFile(await (await openExport(session, target, 'text/csv')).blob(), fileName);
}

export function saveFile(content: Blob, fileName: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(url);
}

/** The path of a list with its filters, without those that are not set. */
export function buildTarget(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = new URLSearchParams(set).toString();
  return text === '' ? path : `${path}?${text}`;
}
