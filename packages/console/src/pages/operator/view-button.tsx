import type { ReactElement } from 'react';
import { Button } from '../../parts/controls/button.js';
import { ProblemText } from '../../parts/layout/states.js';
import { useWords } from '../../words/say.js';
import { useView } from './view.js';

interface ViewButtonProps {
  readonly customerNo: string;
  /** The page of the customer to begin with. */
  readonly to?: string;
}

export function ViewButton({ customerNo, to = '/overview' }: ViewButtonProps): ReactElement {
  const say = useWords();
  const view = useView();
  return (
    <>
      {view.error !== null && <ProblemText error={view.error} />}
      <Button look="bordered" isBusy={view.isPending} onClick={() => view.open({ customerNo, to })}>
        {say('view.start')}
      </Button>
    </>
  );
}
