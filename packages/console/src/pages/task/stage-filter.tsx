import { STAGES } from '@postrider/client';
import type { ReactElement } from 'react';
import { ChoiceFilter, type Filters } from '../../parts/forms/filters.js';
import { useWords } from '../../words/say.js';

/** Tasks in one stage only, or in any. */
export function StageFilter({ filters }: { readonly filters: Filters<'stage'> }): ReactElement {
  const say = useWords();
  return (
    <ChoiceFilter
      filters={filters}
      name="stage"
      label={say('tasks.filter.stage')}
      any={say('tasks.filter.anyStage')}
      choices={STAGES.map((value) => ({ value, label: say(`stage.${value}`) }))}
    />
  );
}
