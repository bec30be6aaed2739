// The form of a channel: what every channel has, and the settings of its kind as the service describes them.

import type { ChannelKindDescription } from '@postrider/client';
import { useQuery } from '@tanstack/react-query';
import { useOperator } from '../../api/clients.js';
import type { Field, FieldValues } from '../../parts/entity-form.js';
import type { Language } from '../../shell/preferences.js';
import type { Say } from '../../words/say.js';
import { settingWords } from '../../words/setting-words.js';

/** What of JSON schema the service describes settings with. */
interface SettingSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly writeOnly?: boolean;
  readonly maxLength?: number;
  readonly anyOf?: readonly { readonly const?: unknown }[];
}

interface ConfigSchema {
  readonly properties: Readonly<Record<string, SettingSchema>>;
  readonly required: readonly string[];
}

export interface ChannelKindForm {
  readonly kind: ChannelKindDescription['kind'];
  readonly config: ConfigSchema;
}

/** Undefined while they are being asked for. */
export function useChannelKinds(): readonly ChannelKindForm[] | undefined {
  const operator = useOperator();
  const { data, isPending } = useQuery({
    queryKey: ['channel-kinds'],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => operator.channelKinds({ signal }).page(),
  });
  if (isPending) return undefined;
  return (data?.items ?? []).map(({ kind, config }) => ({ kind, config: config as unknown as ConfigSchema }));
}

const LONG_TEXT = 1_000;

/** Those that must be filled in first, the others folded away below. */
function settingFields(
  say: Say,
  { properties, required }: ConfigSchema,
  language: Language,
  isChange: boolean,
): readonly Field[] {
  const fields = Object.entries(properties).map(([name, schema]): Field => {
    // Fields with a default are required of the stored configuration, not of whoever writes it.
    const isNeeded = required.includes(name) && schema.default === undefined;
    // What is stored and never shown again need not be typed anew to change something else.
    const isKept = isChange && schema.writeOnly === true;
    const isRequired = isNeeded && !isKept;
    const said = language === 'zh' ? settingWords[name] : undefined;
    return {
      name: `config.${name}`,
      label: name,
      // The service marks names in its explanations as Markdown does.
      hint: [(said ?? schema.description)?.replaceAll('`', ''), isKept ? say('form.keeps') : sayDefault(say, schema)]
        .filter(Boolean)
        .join(' '),
      isRequired,
      isFolded: !isNeeded,
      // Null takes a setting back to its default; a new channel has nothing to take back.
      ...(isChange ? { emptyIs: null } : {}),
      ...shapeOf(schema),
    };
  });
  return [...fields.filter(({ isFolded }) => isFolded !== true), ...fields.filter(({ isFolded }) => isFolded === true)];
}

function sayDefault(say: Say, { default: value, type }: SettingSchema): string {
  // A switch shows its own.
  if (value === undefined || value === '' || type === 'boolean') return '';
  const shown = Array.isArray(value) ? value.join(', ') : String(value);
  return shown === '' ? '' : say('form.default', { value: shown });
}

function shapeOf(schema: SettingSchema): Pick<Field, 'kind' | 'choices'> {
  if (schema.writeOnly === true) return { kind: 'secret' };
  if (schema.anyOf !== undefined) {
    const choices = schema.anyOf.map((one) => ({ value: String(one.const), label: String(one.const) }));
    return { kind: 'choice', choices };
  }
  if (schema.type === 'boolean') return { kind: 'switch' };
  if (schema.type === 'array') return { kind: 'numbers' };
  if (schema.type === 'integer' || schema.type === 'number') return { kind: 'number' };
  return { kind: (schema.maxLength ?? 0) > LONG_TEXT ? 'long' : 'text' };
}

/** What a new channel of this kind has before anybody changes it. */
export function settingDefaults({ properties }: ConfigSchema): FieldValues {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, schema.default]));
}

export function channelFields(
  say: Say,
  language: Language,
  config: ConfigSchema,
  firms: readonly { readonly value: string; readonly label: string }[],
  isChange: boolean,
): readonly Field[] {
  return [
    { name: 'name', label: say('channels.name'), kind: 'text', isRequired: true },
    { name: 'firms', label: say('nav.firms'), kind: 'choices', isRequired: true, choices: firms },
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
    { name: 'failover_codes', label: say('channels.failover'), hint: say('channels.failoverHint'), kind: 'list' },
    ...settingFields(say, config, language, isChange),
  ];
}
