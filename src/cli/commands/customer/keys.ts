import { CredentialFields } from '../../../domain/entities/credential.js';
import { createOwnListCommand, createOwnRecordCommand } from '../../api-command.js';
import type { Command } from '../../command.js';
import { optionsOf } from '../../entity-options.js';
import { credentialShape, newCredentialShape } from '../../output/operator-shapes.js';

/** The caller's own keys. They take a key with the scope `admin`. */
export const keyCommands: readonly Command[] = [
  createOwnRecordCommand({
    path: ['key', 'create'],
    summary: 'create an API key; its secret is shown once',
    fields: optionsOf(CredentialFields, { scopes: 'scope' }),
    shape: newCredentialShape,
    examples: [
      { command: 'postrider key create --name "Nightly report" --scope read,finance', shows: 'a key that cannot send' },
      { command: 'postrider key create --expires-at 2027-01-01T00:00:00Z', shows: 'a key that expires' },
    ],
    call: (client, _args, body, options) => client.createCredential(body, options),
  }),
  createOwnListCommand({
    path: ['key', 'list'],
    summary: 'your API keys, with their last use',
    shape: credentialShape,
    noun: 'API keys',
    call: (client, _args, options) => client.credentials(options),
  }),
  createOwnRecordCommand({
    path: ['key', 'revoke'],
    summary: "revoke an API key; this can't be undone",
    arguments: [{ name: 'API_KEY', summary: 'the key to revoke', required: true }],
    shape: credentialShape,
    call: (client, [apiKey = ''], _body, options) => client.revokeCredential(apiKey, options),
  }),
];
