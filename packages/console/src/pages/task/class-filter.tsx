import { MESSAGE_CLASSES } from '@postrider/client';
import type { ReactElement } from 'react';
import { ChoiceFilter, type Filters } from '../../parts/forms/filters.js';
import { useWords } from '../../words/say.js';

/** Tasks of one class only, or of any. */
export function ClassFilter({ filters }: { readonly filters: Filters<'class'> }): ReactElement {
  const say = useWords();
  return (
    <ChoiceFilter
      filters={filters}
      name="class"
      label={say('class.title')}
      any={say('record.any')}
      choices={MESSAGE_CLASSES.map((value) => ({ value, label: say(`class.${value}`) }))}
    />
  );
}
