// Filters by whose something is and what it went through: chosen by name, kept by number in the address.

import type { ReactElement } from 'react';
import { type Named, useChannelNames, useCustomerNames } from '../../api/names.js';
import { ChoiceFilter, type Filters } from '../../parts/forms/filters.js';
import { useWords } from '../../words/say.js';

interface FilterProps<Name extends string> {
  readonly filters: Filters<Name>;
}

/** An address may name one that is not among the first thousand. */
function choicesOf(named: readonly Named[] | undefined, chosen: string | undefined): readonly Named[] {
  const known = named ?? [];
  if (chosen === undefined || known.some(({ value }) => value === chosen)) return known;
  return [{ value: chosen, label: chosen }, ...known];
}

export function CustomerFilter<Name extends string>({ filters }: FilterProps<Name | 'customer_no'>): ReactElement {
  const say = useWords();
  const choices = choicesOf(useCustomerNames(), filters.values.customer_no);
  return (
    <ChoiceFilter
      filters={filters}
      name="customer_no"
      label={say('app.customer')}
      any={say('record.any')}
      choices={choices}
      isSearched
    />
  );
}

export function ChannelFilter<Name extends string>({ filters }: FilterProps<Name | 'channel_no'>): ReactElement {
  const say = useWords();
  const choices = choicesOf(useChannelNames(), filters.values.channel_no);
  return (
    <ChoiceFilter
      filters={filters}
      name="channel_no"
      label={say('field.channel_no')}
      any={say('record.any')}
      choices={choices}
      isSearched
    />
  );
}
