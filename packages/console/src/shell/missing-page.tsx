import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Button, ButtonLink } from '../parts/controls/button.js';
import { Card, Page } from '../parts/layout/page.js';
import { ProblemText, State } from '../parts/layout/states.js';
import { FIRST_PAGES, useSide } from '../session/side.js';
import { useWords } from '../words/say.js';

export function MissingPage(): ReactElement {
  const say = useWords();
  const side = useSide();
  return (
    <Page title={say('state.notFound')}>
      <Card>
        <State icon="search" title={say('state.notFoundHint')}>
          <ButtonLink to={FIRST_PAGES[side]} look="bordered">
            {say(side === 'operator' ? 'nav.platform' : 'nav.overview')}
          </ButtonLink>
        </State>
      </Card>
    </Page>
  );
}

/** A page that failed to load or to draw, such as after the service was upgraded under an open tab. */
export function BrokenPage({ error, reset }: ErrorComponentProps): ReactElement {
  const say = useWords();
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  return (
    <Page title={say('state.broken')}>
      <Card>
        <State icon="alert" title={say('state.failed')} hint={say('state.brokenHint')}>
          <p className="soft">
            <ProblemText error={error} />
          </p>
          <Button look="bordered" onClick={retry}>
            {say('state.retry')}
          </Button>
        </State>
      </Card>
    </Page>
  );
}
