// The settings of each kind of channel. What is left empty keeps its default; the service checks all of it.

import type { ChannelKind } from '@postrider/client';
import type { Field } from '../../parts/entity-form.js';
import type { Say } from '../../words/say.js';

const setting = (name: string, kind: Field['kind'], more: Partial<Field> = {}): Field => ({
  name: `config.${name}`,
  label: name,
  kind,
  ...more,
});

const SETTINGS: Record<ChannelKind, readonly Field[]> = {
  simulator: [
    setting('answer_ms', 'number'),
    setting('receipt_ms', 'number'),
    setting('deliver_rate', 'number'),
    setting('reject_rate', 'number'),
    setting('unknown_rate', 'number'),
  ],
  smpp: [
    setting('host', 'text', { isRequired: true }),
    setting('port', 'number', { isRequired: true }),
    setting('system_id', 'text', { isRequired: true }),
    setting('password', 'secret'),
    setting('tls', 'switch'),
    setting('system_type', 'text'),
    setting('bind', 'choice', {
      choices: ['transceiver', 'transmitter_receiver'].map((value) => ({ value, label: value })),
    }),
    setting('sessions', 'number'),
    setting('window', 'number'),
    setting('enquire_link_ms', 'number'),
    setting('response_timeout_ms', 'number'),
    setting('message_id_format', 'text'),
  ],
};

export const CHANNEL_KINDS: readonly ChannelKind[] = ['simulator', 'smpp'];

export function channelFields(
  say: Say,
  kind: ChannelKind,
  firms: readonly { readonly value: string; readonly label: string }[],
): readonly Field[] {
  return [
    { name: 'name', label: say('channels.name'), kind: 'text', isRequired: true },
    { name: 'firms', label: say('nav.firms'), kind: 'choices', choices: firms },
    {
      name: 'status',
      label: say('record.status'),
      kind: 'choice',
      isRequired: true,
      choices: ['active', 'disabled'].map((value) => ({ value, label: value })),
    },
    {
      name: 'parts_per_second',
      label: say('channels.rate'),
      hint: say('channels.rateHint'),
      kind: 'number',
      emptyIs: null,
    },
    { name: 'failover_codes', label: say('channels.failover'), hint: say('channels.failoverHint'), kind: 'list' },
    ...SETTINGS[kind],
  ];
}
