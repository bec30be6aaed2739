import type { CredentialRequest } from '@postrider/client';
import { CredentialFields } from '../../../domain/entities/credential.js';
import { connectAsCustomer } from '../../access/connection.js';
import type { Command } from '../../command.js';
import { optionsOf } from '../../entity-options.js';
import { exitCodes } from '../../exit-codes.js';
import { credentialShape, newCredentialShape } from '../../output/operator-shapes.js';
import { listOptions, outputOptions, printListing, printRecord } from '../../output/records.js';
import { readPageSize } from '../../page-size.js';
import { readBody } from '../../request-body.js';

const fields = optionsOf(CredentialFields, { scopes: 'scope' });

/** The caller's own keys. They take a key with the scope `admin`. */
export const keyCommands: readonly Command[] = [
  {
    path: ['key', 'create'],
    summary: 'create an API key; its secret is shown once',
    options: { ...fields, ...outputOptions },
    examples: [
      { command: 'postrider key create --name "Nightly report" --scope read,finance', shows: 'a key that cannot send' },
      { command: 'postrider key create --expires-at 2027-01-01T00:00:00Z', shows: 'a key that expires' },
    ],
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const body = (await readBody(invocation, fields)) as CredentialRequest;
      const created = await client.createCredential(body, { signal: invocation.terminal.signal });
      await printRecord(invocation, created, newCredentialShape);
      return exitCodes.ok;
    },
  },
  {
    path: ['key', 'list'],
    summary: 'your API keys, with their last use',
    options: listOptions,
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const options = { pageSize: readPageSize(invocation), signal: invocation.terminal.signal };
      await printListing(invocation, client.credentials(options), credentialShape, 'API keys');
      return exitCodes.ok;
    },
  },
  {
    path: ['key', 'revoke'],
    summary: "revoke an API key; this can't be undone",
    arguments: [{ name: 'API_KEY', summary: 'the key to revoke', required: true }],
    options: outputOptions,
    async run(invocation) {
      const client = await connectAsCustomer(invocation);
      const revoked = await client.revokeCredential(invocation.argument(0), { signal: invocation.terminal.signal });
      await printRecord(invocation, revoked, credentialShape);
      return exitCodes.ok;
    },
  },
];
