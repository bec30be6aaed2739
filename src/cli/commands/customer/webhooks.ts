import type { CallOptions, PostriderClient, WebhookRequest } from '@postrider/client';
import { WebhookFields } from '../../../domain/entities/webhook.js';
import { connectAsCustomer } from '../../access/connection.js';
import type { ArgumentSpec, Command, Example, OptionSpec } from '../../command.js';
import { parseMoment } from '../../duration.js';
import { changeOptionsOf, optionsOf } from '../../entity-options.js';
import { exitCodes } from '../../exit-codes.js';
import { UsageError } from '../../failure.js';
import { listOptions, outputOptions, printListing, printRecord, type RecordShape } from '../../output/records.js';
import { attemptShape, newWebhookShape, webhookShape } from '../../output/shapes.js';
import { readPageSize } from '../../page-size.js';
import { type BodyFields, readBody } from '../../request-body.js';

const webhookArgument: ArgumentSpec = { name: 'WEBHOOK', summary: 'number of the webhook', required: true };
/** `--url` is where the service is, in every command. */
const names = { url: 'to', events: 'event' };

const fromOption: OptionSpec = {
  type: 'string',
  value: 'TIME',
  required: true,
  summary: 'since this moment: 2026-11-14T08:00:00Z, 2026-11-14T08:00 (local time), 2026-11-14 (UTC), or 2h ago as 2h',
};

interface WebhookCommand {
  readonly word: string;
  readonly summary: string;
  readonly description?: string;
  readonly examples?: readonly Example[];
  readonly takesNoWebhook?: boolean;
  readonly fields?: BodyFields;
  readonly options?: Readonly<Record<string, OptionSpec>>;
  readonly shape: RecordShape;
  call(
    client: PostriderClient,
    webhookNo: string,
    given: { readonly body: Record<string, unknown>; readonly from: Date | undefined },
    options: CallOptions,
  ): Promise<object>;
}

/** A command that does one thing with one webhook and prints what came of it. */
function createWebhookCommand(command: WebhookCommand): Command {
  const { word, fields = {}, options = {}, shape, call, takesNoWebhook, ...texts } = command;
  return {
    ...texts,
    path: ['webhook', word],
    ...(takesNoWebhook ? {} : { arguments: [webhookArgument] }),
    options: { ...fields, ...options, ...outputOptions },
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const body = await readBody(invocation, fields);
      const text = options.from === undefined ? undefined : invocation.text('from');
      const from = text === undefined ? undefined : parseMoment(text, 'from', Date.now());
      const webhookNo = takesNoWebhook ? '' : invocation.argument(0);
      const answer = await call(client, webhookNo, { body, from }, { signal: invocation.terminal.signal });
      await printRecord(invocation, answer, shape);
      return exitCodes.ok;
    },
  };
}

/** Being told of what happens. Bodies are checked by the service, which knows all the rules. */
export const webhookCommands: readonly Command[] = [
  createWebhookCommand({
    word: 'create',
    summary: 'create a webhook: events are posted to your URL; its secret is shown once',
    takesNoWebhook: true,
    fields: optionsOf(WebhookFields, names),
    shape: newWebhookShape,
    examples: [
      {
        command: 'postrider webhook create --to https://example.com/hook --event receipts --event task.finished',
        shows: 'receipts and the ends of tasks',
      },
    ],
    call: (client, _, { body }, options) => client.createWebhook(body as unknown as WebhookRequest, options),
  }),
  {
    path: ['webhook', 'list'],
    summary: 'your webhooks',
    options: listOptions,
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const options = { pageSize: readPageSize(invocation), signal: invocation.terminal.signal };
      await printListing(invocation, client.webhooks(options), webhookShape, 'webhooks');
      return exitCodes.ok;
    },
  },
  createWebhookCommand({
    word: 'show',
    summary: 'one webhook, with the delivery state of each kind of event',
    shape: webhookShape,
    call: (client, webhookNo, _, options) => client.webhook(webhookNo, options),
  }),
  createWebhookCommand({
    word: 'update',
    summary: 'change a webhook',
    fields: changeOptionsOf(WebhookFields, names),
    shape: webhookShape,
    examples: [{ command: 'postrider webhook update WEBHOOK --status active', shows: 'resume a disabled webhook' }],
    call: (client, webhookNo, { body }, options) => client.updateWebhook(webhookNo, body, options),
  }),
  createWebhookCommand({
    word: 'delete',
    summary: "delete a webhook; this can't be undone",
    shape: webhookShape,
    call: (client, webhookNo, _, options) => client.deleteWebhook(webhookNo, options),
  }),
  createWebhookCommand({
    word: 'rotate',
    summary: 'rotate the secret of a webhook; the old one stays valid for 24 hours',
    shape: newWebhookShape,
    call: (client, webhookNo, _, options) => client.rotateWebhook(webhookNo, options),
  }),
  createWebhookCommand({
    word: 'test',
    summary: 'send a test message now and show the result',
    shape: attemptShape,
    call: (client, webhookNo, _, options) => client.testWebhook(webhookNo, options),
  }),
  createWebhookCommand({
    word: 'replay',
    summary: 'replay the events of a webhook since a time',
    options: { from: fromOption },
    shape: webhookShape,
    examples: [{ command: 'postrider webhook replay WEBHOOK --from 2h', shows: 'everything of the last two hours' }],
    call: (client, webhookNo, { from }, options) => client.replayWebhook(webhookNo, from ?? new Date(), options),
  }),
  {
    path: ['webhook', 'attempts'],
    summary: 'the last calls to a webhook, newest first',
    arguments: [webhookArgument],
    options: listOptions,
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const options = { pageSize: readPageSize(invocation), signal: invocation.terminal.signal };
      const listing = client.webhookAttempts(invocation.argument(0), options);
      await printListing(invocation, listing, attemptShape, 'attempts');
      return exitCodes.ok;
    },
  },
  {
    path: ['webhook', 'resend'],
    summary: 'resend the message of an attempt and show the result',
    arguments: [webhookArgument, { name: 'ATTEMPT', summary: 'number of the attempt', required: true }],
    options: outputOptions,
    async run(invocation) {
      const id = Number(invocation.argument(1));
      if (!Number.isSafeInteger(id) || id < 1) throw new UsageError(`"${invocation.argument(1)}" is no attempt.`);
      const client = await connectAsCustomer(invocation);
      const { signal } = invocation.terminal;
      await printRecord(
        invocation,
        await client.resendWebhookAttempt(invocation.argument(0), id, { signal }),
        attemptShape,
      );
      return exitCodes.ok;
    },
  },
];
