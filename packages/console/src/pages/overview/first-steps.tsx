import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Checklist } from '../../parts/layout/checklist.js';
import { useWords } from '../../words/say.js';
import type { FirstSteps as Done } from './warnings.js';

/** For a customer that has never sent. */
export function FirstSteps({ done }: { readonly done: Done }): ReactElement {
  const say = useWords();
  return (
    <Checklist
      title={say('steps.title')}
      steps={[
        { key: 'template', isDone: done.hasTemplate, link: <Link to="/templates">{say('steps.template')}</Link> },
        ...(done.hasFunds === undefined
          ? []
          : [{ key: 'funds', isDone: done.hasFunds, link: <Link to="/ledger">{say('steps.funds')}</Link> }]),
        { key: 'send', isDone: false, link: <Link to="/compose">{say('steps.send')}</Link> },
        {
          key: 'webhook',
          isDone: done.hasWebhook,
          link: (
            <Link to="/developers" search={{ tab: 'webhooks' }}>
              {say('steps.webhook')}
            </Link>
          ),
        },
      ]}
    />
  );
}
