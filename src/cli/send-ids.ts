import type { PostriderClient } from '@postrider/client';
import { nameGiven } from './send-requests.js';

/** The ids of all requests that a send under this id was cut into: the id itself, ID.2, ID.3 and so on. */
export async function findRequestIds(client: PostriderClient, id: string, signal: AbortSignal): Promise<string[]> {
  const ids = [id];
  for (;;) {
    const next = nameGiven(id, ids.length + 1);
    if ((await client.findTask(next, { signal })) === null) return ids;
    ids.push(next);
  }
}

/** An id that `send` made from the content of one request: the other requests of that send have ids of their own. */
export function isMadeFromContent(id: string): boolean {
  return /^cli-[0-9a-f]{32}\.\d+$/.test(id);
}
