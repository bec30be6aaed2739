import { createHash } from 'node:crypto';
import type { SendRequest } from '@postrider/client';
import type { InputNumber, Variables } from './recipients-input.js';

/** What all requests of one `send` have in common. */
export interface SendSettings {
  readonly templateNo: string;
  readonly serviceAccountNo: string | undefined;
  readonly targetFirms: readonly string[] | undefined;
  readonly variables: Variables;
  readonly stopAt: 'queued' | 'prepared' | 'frozen' | undefined;
  readonly chunkSize: number;
}

/** How requests are named. With the same name, the same content creates nothing new. */
export type Naming =
  /** By content: the same input sent again is the same requests. */
  | { readonly kind: 'content' }
  /** By the caller: other content under this name is a conflict, not a second message. */
  | { readonly kind: 'given'; readonly id: string };

/** What to do after a failure or Ctrl-C so that nothing goes out twice. */
export function explainRepeating(naming: Naming, idWasGiven: boolean): string {
  const again =
    naming.kind === 'content' || idWasGiven ? 'Run the same command again' : `Run it again with --id ${naming.id}`;
  return `${again} to send what was not accepted; nothing goes out twice.`;
}

export interface NumberedRequest {
  readonly index: number;
  readonly request: SendRequest;
}

function hashContent(settings: SendSettings, index: number, content: object): string {
  // The options that only say how far it goes are left out: sending the same messages with others is then a conflict
  // that the service reports, instead of the same messages a second time.
  const text = JSON.stringify([settings.templateNo, index, content]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/**
 * The first request has the id as it was given, also when others follow: a file that has grown past one request then still
 * meets the id under which it was sent before.
 */
export function nameGiven(id: string, index: number): string {
  return index === 1 ? id : `${id}.${index}`;
}

function buildRequest(
  settings: SendSettings,
  numbers: readonly InputNumber[],
  index: number,
  naming: Naming,
): SendRequest {
  const common = settings.variables;
  const content = numbers.some((number) => number.variables !== null)
    ? { recipients: numbers.map(({ phone, variables }) => ({ phone, variable_values: { ...common, ...variables } })) }
    : {
        phones: numbers.map(({ phone }) => phone),
        ...(Object.keys(common).length === 0 ? {} : { variable_values: common }),
      };
  const { serviceAccountNo, targetFirms, stopAt } = settings;
  return {
    template_no: settings.templateNo,
    ...content,
    ...(serviceAccountNo === undefined ? {} : { service_account_no: serviceAccountNo }),
    ...(targetFirms === undefined ? {} : { target_firms: targetFirms }),
    client_request_id:
      naming.kind === 'given' ? nameGiven(naming.id, index) : `cli-${hashContent(settings, index, content)}.${index}`,
    auto_prepare: stopAt !== 'queued',
    auto_freeze: stopAt === undefined || stopAt === 'frozen',
    auto_submit: stopAt === undefined,
  };
}

/** Cuts numbers into requests, in order, while they are still being read. */
export async function* buildRequests(
  numbers: AsyncIterable<InputNumber>,
  settings: SendSettings,
  naming: Naming,
): AsyncGenerator<NumberedRequest> {
  let index = 0;
  let chunk: InputNumber[] = [];
  for await (const number of numbers) {
    chunk.push(number);
    if (chunk.length < settings.chunkSize) continue;
    index += 1;
    yield { index, request: buildRequest(settings, chunk, index, naming) };
    chunk = [];
  }
  if (chunk.length > 0) yield { index: index + 1, request: buildRequest(settings, chunk, index + 1, naming) };
}
