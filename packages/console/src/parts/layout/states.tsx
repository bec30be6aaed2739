// What stands where data would: still loading, none, failed, not permitted, not there.

import { Skeleton } from '@mantine/core';
import { PostriderError } from '@postrider/client';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactElement, ReactNode } from 'react';
import { saysAway } from '../../api/away.js';
import { isForbidden, isNotFound } from '../../api/query-client.js';
import { Icon, type IconName } from '../../design/icons.js';
import { useWords } from '../../words/say.js';
import { sayPlace } from '../../words/say-place.js';
import { useFaultWords, useProblemWords } from '../../words/use-error-words.js';
import { Button } from '../controls/button.js';
import styles from './page.module.css';

interface StateProps {
  readonly icon: IconName;
  readonly title: string;
  readonly hint?: ReactNode;
  readonly children?: ReactNode;
}

export function State({ icon, title, hint, children }: StateProps): ReactElement {
  return (
    <div className={styles.state}>
      <Icon name={icon} size={28} />
      <p className={styles.stateTitle}>{title}</p>
      {hint !== undefined && <p className={styles.stateHint}>{hint}</p>}
      {children}
    </div>
  );
}

export function LoadingState({ lines = 4 }: { readonly lines?: number }): ReactElement {
  const say = useWords();
  return (
    <div className={styles.padded} role="status" aria-label={say('state.loading')}>
      {Array.from({ length: lines }, (_, index) => `${100 - ((index * 17) % 40)}%`).map((width) => (
        <Skeleton key={width} height={14} width={width} mb="sm" radius="sm" />
      ))}
    </div>
  );
}

interface FailureStateProps {
  readonly error: unknown;
  /** The page is about a call that an older service may lack: then "not found" means that. */
  readonly mayBeMissing?: boolean;
}

export function FailureState({ error, mayBeMissing = false }: FailureStateProps): ReactElement {
  const say = useWords();
  const queryClient = useQueryClient();
  // Whatever has failed on this page, for it has often failed together.
  const retry = () =>
    void queryClient.refetchQueries({ type: 'active', predicate: ({ state }) => state.error !== null });
  if (saysAway(error)) return <State icon="away" title={say('state.away')} hint={say('state.awayEmpty')} />;
  if (error instanceof PostriderError && error.code === 'customer_suspended') {
    return <State icon="lock" title={say('state.suspended')} hint={say('state.suspendedHint')} />;
  }
  if (isForbidden(error)) {
    return (
      <State icon="lock" title={say('state.forbidden')} hint={say('state.forbiddenHint')}>
        <ProblemText error={error} />
      </State>
    );
  }
  if (isNotFound(error)) {
    return mayBeMissing ? (
      <State icon="clock" title={say('state.unavailable')} hint={say('state.unavailableHint')} />
    ) : (
      <State icon="search" title={say('state.notFound')} hint={say('state.notFoundHint')} />
    );
  }
  return (
    <State icon="alert" title={say('state.failed')} hint={<ProblemText error={error} />}>
      <Button look="bordered" onClick={retry}>
        {say('state.retry')}
      </Button>
    </State>
  );
}

/** What the service said, in the viewer's language, with the number under which its operator finds it. */
export function ProblemText({ error }: { readonly error: unknown }): ReactElement {
  const say = useWords();
  const sayProblem = useProblemWords();
  const sayFault = useFaultWords();
  if (!(error instanceof PostriderError)) return <>{error instanceof Error ? error.message : String(error)}</>;
  return (
    <>
      {error.errors.length > 1 ? (
        <ul>
          {error.errors.map((fault) => (
            <li key={`${fault.pointer} ${fault.code}`} title={fault.pointer}>
              <strong>{sayPlace(say, fault.pointer)}</strong> {sayFault(fault)}
            </li>
          ))}
        </ul>
      ) : (
        <span title={error.detail ?? error.title}>{sayProblem(error)}</span>
      )}
      {error.requestId !== null && (
        <>
          {' '}
          <span className="soft">
            ({error.code} · {say('state.requestId', { id: error.requestId })})
          </span>
        </>
      )}
    </>
  );
}
