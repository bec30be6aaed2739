// What a send would be: parts, price and texts, without sending anything.

import type { PostriderClient, SendRequest } from '@postrider/client';
import { addAmounts } from './money.js';

export interface Preview {
  readonly total: number;
  readonly sendable: number;
  readonly rejected: number;
  readonly parts: number;
  readonly price: string;
  readonly currency: string;
  readonly available: string;
  readonly affordable: boolean;
  readonly firms: readonly PreviewFirm[];
  readonly rejections: readonly {
    readonly seq: number;
    readonly phone: string;
    readonly code: string;
    readonly description: string;
  }[];
  readonly samples: readonly {
    readonly seq: number;
    readonly phone: string;
    readonly text: string;
    readonly encoding: string;
    readonly parts: number;
    readonly price: string;
  }[];
}

export interface PreviewFirm {
  readonly firm: string;
  readonly numbers: number;
  readonly parts: number;
  readonly unit_price: string;
  readonly price: string;
}

export function previewSend(client: PostriderClient, body: SendRequest, signal: AbortSignal): Promise<Preview> {
  return client.request({ method: 'POST', path: '/openapi/v1/messages/preview/', body, signal });
}

/** Several previews of one send as one. Rows are counted on from piece to piece. */
export function addPreviews(one: Preview, other: Preview): Preview {
  const firms = new Map(one.firms.map((firm) => [firm.firm, firm]));
  for (const firm of other.firms) {
    const known = firms.get(firm.firm);
    firms.set(
      firm.firm,
      known === undefined
        ? firm
        : {
            ...known,
            numbers: known.numbers + firm.numbers,
            parts: known.parts + firm.parts,
            price: addAmounts(known.price, firm.price),
          },
    );
  }
  const moved = other.rejections.map((rejection) => ({ ...rejection, seq: rejection.seq + one.total }));
  return {
    ...one,
    total: one.total + other.total,
    sendable: one.sendable + other.sendable,
    rejected: one.rejected + other.rejected,
    parts: one.parts + other.parts,
    price: addAmounts(one.price, other.price),
    firms: [...firms.values()],
    rejections: [...one.rejections, ...moved].slice(0, 100),
  };
}
