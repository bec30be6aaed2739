import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { ProblemText } from '../../parts/states.js';
import { useWords } from '../../words/say.js';
import { useView } from './view.js';

interface ViewButtonProps {
  readonly customerNo: string;
  /** The page of the customer to begin with. */
  readonly to?: string;
  /** What is seen there, where it is not everything. */
  readonly label?: string;
  /** In a row of a table. */
  readonly isCompact?: boolean;
}

export function ViewButton({ customerNo, to = '/overview', label, isCompact = false }: ViewButtonProps): ReactElement {
  const say = useWords();
  const view = useView(customerNo);
  return (
    <>
      {view.error !== null && <ProblemText error={view.error} />}
      <Button
        variant="default"
        size={isCompact ? 'compact-sm' : 'sm'}
        loading={view.isPending}
        onClick={() => view.open({ to })}
      >
        {label ?? say('view.start')}
      </Button>
    </>
  );
}
