import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Checklist } from '../../../parts/layout/checklist.js';
import { useWords } from '../../../words/say.js';
import type { FirstSteps } from './platform-concerns.js';

/** For a platform through which nothing was sent yet. */
export function PlatformSteps({ done }: { readonly done: FirstSteps }): ReactElement {
  const say = useWords();
  return (
    <Checklist
      title={say('steps.title')}
      steps={[
        { key: 'carrier', isDone: done.hasCarrier, link: <Link to="/operator/firms">{say('steps.carrier')}</Link> },
        { key: 'channel', isDone: done.hasChannel, link: <Link to="/operator/channels">{say('steps.channel')}</Link> },
        {
          key: 'customer',
          isDone: done.hasCustomer,
          link: <Link to="/operator/customers">{say('steps.customer')}</Link>,
        },
        {
          key: 'provision',
          isDone: done.hasFunds,
          link: <Link to="/operator/customers">{say('steps.provision')}</Link>,
        },
        { key: 'review', isDone: done.hasTemplate, link: <Link to="/operator/reviews">{say('steps.review')}</Link> },
        { key: 'task', isDone: false, link: <Link to="/operator/tasks">{say('steps.firstTask')}</Link> },
      ]}
    />
  );
}
