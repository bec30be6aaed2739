import { Button } from '@mantine/core';
import type { ReactElement } from 'react';
import { ProblemText } from '../../parts/states.js';
import { useWords } from '../../words/say.js';
import styles from './operator.module.css';
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
      {isCompact ? (
        // Rows have many: the library's own takes several times as long to draw.
        <button type="button" className={styles.view} disabled={view.isPending} onClick={() => view.open({ to })}>
          {label ?? say('view.start')}
        </button>
      ) : (
        <Button variant="default" loading={view.isPending} onClick={() => view.open({ to })}>
          {label ?? say('view.start')}
        </Button>
      )}
    </>
  );
}
