// The configuration of a channel over HTTP: how a message becomes a request, what the answer means, and how reports and
// uplinks look when the upstream calls back. docs/reference lists the fields from here.

import { type Static, type TProperties, Type } from '@sinclair/typebox';

const pointer = (description: string) => Type.String({ maxLength: 500, description });
const values = (description: string) =>
  Type.Array(Type.String({ maxLength: 200 }), { maxItems: 200, default: [], description });
const statuses = (list: readonly number[], description: string) =>
  Type.Array(Type.Integer({ minimum: 200, maximum: 599 }), { maxItems: 100, default: [...list], description });
const choice = <const T extends readonly [string, ...string[]]>(words: T, description: string) =>
  Type.Unsafe<T[number]>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      { default: words[0], description },
    ),
  );
const group = <Properties extends TProperties>(properties: Properties, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options });

const Answer = group(
  {
    accepted: group(
      {
        status: statuses([200, 201, 202], 'HTTP statuses of an accepted message.'),
        match: Type.Record(Type.String(), Type.Array(Type.String()), {
          default: {},
          description: 'JSON pointers into the answer, each with the values that it must have one of.',
        }),
      },
      { default: {} },
    ),
    message_id: Type.Optional(pointer("Where the answer has the upstream's id; left out, ours is the id.")),
    code: Type.Optional(pointer("Where the answer has the upstream's code; left out, the HTTP status is the code.")),
    throttled: group(
      {
        status: statuses([429], 'HTTP statuses that mean "slower".'),
        codes: values('Codes that mean "slower", whatever the HTTP status.'),
      },
      { default: {} },
    ),
    refused: group(
      {
        status: statuses([400, 401, 403, 404, 422], 'HTTP statuses of a message that was not accepted.'),
        codes: values('Codes of a message that was not accepted, whatever the HTTP status.'),
      },
      { default: {} },
    ),
  },
  {
    description:
      'What the answer means: `accepted` (`status`, `match`), `message_id`, `code`, `throttled` and `refused` (`status`, `codes`). Any other answer, and none, is unknown and never sent again.',
  },
);

const callbackFormat = choice(['json', 'form', 'query'], 'The body as JSON, the body as a form, or the query.');

const Reports = group(
  {
    format: callbackFormat,
    items: Type.Optional(pointer('Where the list of reports is; left out, the body is one report.')),
    message_id: pointer("The upstream's message id, in each report."),
    phone: Type.Optional(pointer('The handset, in each report.')),
    status: pointer('The status, in each report.'),
    delivered: values('Statuses of a delivered message.'),
    undelivered: values('Statuses of a message that will not be delivered. Any other status is not final.'),
    code: Type.Optional(pointer("The upstream's code, in each report; left out, the status is the code.")),
  },
  {
    description:
      'How delivery reports look: `format`, `items`, `message_id`, `phone`, `status`, `delivered`, `undelivered`, `code`. Left out: none are taken.',
  },
);

const Uplinks = group(
  {
    format: callbackFormat,
    items: Type.Optional(pointer('Where the list of messages is; left out, the body is one message.')),
    from: pointer('The handset, in each message.'),
    to: pointer('The address that it wrote to, in each message.'),
    text: pointer('The text, in each message.'),
  },
  { description: 'How inbound messages look: `format`, `items`, `from`, `to`, `text`. Left out: none are taken.' },
);

export const HttpConfigSchema = Type.Object(
  {
    url: Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'Where messages are sent. May have placeholders after the host.',
    }),
    answer: Answer,
    method: choice(['POST', 'PUT', 'GET'], 'GET takes the format `query`.'),
    headers: Type.Record(Type.String(), Type.String(), {
      default: {},
      description: 'Sent with each request. Values may have placeholders, such as `Bearer {secret.token}`.',
    }),
    format: choice(
      ['json', 'form', 'query'],
      'How `body` is sent: as JSON, as a form, or in the query of `url`. The last two take a flat object.',
    ),
    body: Type.Unknown({
      default: {},
      description:
        'Any JSON. Its strings may have placeholders: `{phone}`, `{phone_digits}`, `{phone_national}`, `{text}`, `{sender}`, `{reference}`, `{p1}` to `{p18}`, `{template_code}`, `{secret.NAME}`.',
    }),
    secrets: Type.Record(Type.String(), Type.String(), {
      default: {},
      writeOnly: true,
      description: 'Values for `{secret.NAME}`, by name. Stored sealed, never shown again.',
    }),
    concurrency: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 10,
      description: 'Requests under way at once. A lost upstream makes at most that many messages unknown.',
    }),
    timeout_ms: Type.Integer({
      minimum: 100,
      maximum: 600_000,
      default: 10_000,
      description: 'How long a request may take in all. A message without an answer by then is unknown.',
    }),
    reports: Type.Optional(Reports),
    uplinks: Type.Optional(Uplinks),
  },
  { additionalProperties: false },
);

export type HttpConfig = Static<typeof HttpConfigSchema>;
export type AnswerConfig = HttpConfig['answer'];
export type ReportsConfig = Static<typeof Reports>;
export type UplinksConfig = Static<typeof Uplinks>;
