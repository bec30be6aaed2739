// The form of a channel: what every channel has, and the settings of its kind as the service describes them.

import type { ChannelKindDescription, ChannelKindField } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { useOperator } from '../../../api/clients.js';
import type { Field, FieldValues } from '../../../parts/forms/entity-form.js';
import type { Language } from '../../../preferences.js';
import type { Say } from '../../../words/say.js';

/** Undefined while they load. */
export function useChannelKinds(): readonly ChannelKindDescription[] | undefined {
  const operator = useOperator();
  const { data, isPending } = useQuery({
    queryKey: ['channel-kinds'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => operator.channelKinds({ signal }).page(),
  });
  return isPending ? undefined : (data?.items ?? []);
}

/** The name of a kind in the viewer's language; one of a later service, or while they load, as it is stored. */
export function nameKind(
  kinds: readonly ChannelKindDescription[] | undefined,
  kind: string,
  language: Language,
): string {
  const described = kinds?.find((one) => one.kind === kind);
  return (language === 'zh' ? described?.name_zh : described?.name) ?? kind;
}

const LONG_TEXT = 1_000;

/** Required fields first, the others folded below. */
function settingFields(
  say: Say,
  { fields: described }: ChannelKindDescription,
  language: Language,
  isChange: boolean,
): readonly Field[] {
  const fields = described.map((setting): Field => {
    const { name, required, secret } = setting;
    // A stored secret is never shown, and need not be typed again to change something else.
    const isKept = isChange && secret;
    const description = language === 'zh' ? setting.description_zh : setting.description;
    return {
      name: `config.${name}`,
      label: name,
      // The service marks names in its descriptions as Markdown does.
      hint: [description.replaceAll('`', ''), isKept ? say('form.keeps') : sayDefault(say, setting)]
        .filter(Boolean)
        .join(' '),
      isRequired: required && !isKept,
      isFolded: !required,
      // Null takes a setting back to its default; a new channel has nothing to take back.
      ...(isChange ? { emptyIs: null } : {}),
      ...shapeOf(setting),
    };
  });
  return [...fields.filter(({ isFolded }) => isFolded !== true), ...fields.filter(({ isFolded }) => isFolded === true)];
}

function sayDefault(say: Say, { default: value, type }: ChannelKindField): string {
  // A switch shows its own.
  if (value === null || value === '' || type === 'boolean' || type === 'json') return '';
  const shown = Array.isArray(value) ? value.join(', ') : String(value);
  return shown === '' ? '' : say('form.default', { value: shown });
}

function shapeOf({ type, secret, choices, max_length }: ChannelKindField): Pick<Field, 'kind' | 'choices'> {
  switch (type) {
    case 'choice':
      return {
        kind: 'choice',
        choices: (choices ?? []).map((choice) => ({ value: String(choice), label: String(choice) })),
      };
    case 'boolean':
      return { kind: 'switch' };
    case 'integers':
      return { kind: 'numbers' };
    case 'strings':
      return { kind: 'list' };
    case 'integer':
    case 'number':
      return { kind: 'number' };
    case 'json':
      return { kind: 'json' };
    default:
      if (secret) return { kind: 'secret' };
      return { kind: (max_length ?? 0) > LONG_TEXT ? 'long' : 'text' };
  }
}

/** What a new channel of this kind begins with. */
export function settingDefaults({ fields }: ChannelKindDescription): FieldValues {
  return Object.fromEntries(fields.map(({ name, default: value }) => [name, value ?? undefined]));
}

export function channelFields(
  say: Say,
  language: Language,
  kind: ChannelKindDescription,
  firms: readonly { readonly value: string; readonly label: string }[],
  isChange: boolean,
): readonly Field[] {
  return [
    { name: 'name', label: say('channels.name'), kind: 'text', isRequired: true },
    {
      name: 'firms',
      label: say('nav.firms'),
      ...(firms.length === 0 ? { hint: say('channels.noFirms') } : {}),
      kind: 'choices',
      isRequired: true,
      choices: firms,
    },
    {
      name: 'status',
      label: say('record.status'),
      kind: 'choice',
      isRequired: true,
      choices: (['active', 'disabled'] as const).map((value) => ({ value, label: say(`status.${value}`) })),
    },
    {
      name: 'parts_per_second',
      label: say('channels.rate'),
      hint: say('channels.rateHint'),
      kind: 'number',
      emptyIs: null,
    },
    {
      name: 'requires_filing',
      label: say('channels.requiresFiling'),
      hint: say('channels.requiresFilingHint'),
      kind: 'switch',
    },
    { name: 'failover_codes', label: say('channels.failover'), hint: say('channels.failoverHint'), kind: 'list' },
    ...settingFields(say, kind, language, isChange),
  ];
}
