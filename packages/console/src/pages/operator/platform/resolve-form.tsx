// What the carrier says of numbers that wait for it. It ends them for good, so nothing is chosen beforehand.

import { Group, Stack } from '@mantine/core';
import type { UnknownPart } from '@postrider/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactElement, type ReactNode, useState } from 'react';
import { useOperator } from '../../../api/clients.js';
import { showAmount } from '../../../format/money.js';
import { Button } from '../../../parts/controls/button.js';
import { Segments } from '../../../parts/controls/segments.js';
import { TextField } from '../../../parts/forms/field.js';
import { Facts } from '../../../parts/layout/page.js';
import { Moment } from '../../../parts/values/moment.js';
import { type Say, useWords } from '../../../words/say.js';
import { FailedTasks } from '../../task/failed-tasks.js';
import styles from '../operator.module.css';
import { ChannelLink, linkOperatorTask } from '../operator-links.js';
import { type Outcome, resolveParts, sumUnknown, type UnknownSum } from './resolving.js';

export function sayAmounts(say: Say, { amounts }: UnknownSum): string {
  if (amounts.length === 0) return say('unknownPage.noPrice');
  return amounts.map(({ amount, currency }) => showAmount(amount, currency)).join(' + ');
}

const OUTCOMES = ['not_accepted', 'accepted'] as const satisfies readonly Outcome[];
const WORDS = { accepted: 'unknownPage.accepted', not_accepted: 'unknownPage.notAccepted' } as const;
const HINTS = { accepted: 'unknownPage.acceptedHint', not_accepted: 'unknownPage.notAcceptedHint' } as const;

interface ResolveFormProps {
  readonly parts: readonly UnknownPart[];
  /** With the tasks that could not be resolved. */
  readonly onDone: (failed: ReadonlySet<string>) => void;
}

export function ResolveForm({ parts, onDone }: ResolveFormProps): ReactElement {
  const say = useWords();
  const operator = useOperator();
  const queryClient = useQueryClient();
  const [outcome, setOutcome] = useState<Outcome>();
  const [remark, setRemark] = useState('');
  const [done, setDone] = useState(0);
  const resolve = useMutation({
    mutationFn: (decided: Outcome) => resolveParts(operator, parts, { outcome: decided, remark }, setDone),
    onSuccess: (failed) => onDone(new Set(failed.map(({ item }) => item))),
    onSettled: () => queryClient.invalidateQueries(),
  });
  const sum = sumUnknown(parts);
  const failed = resolve.data ?? [];
  return (
    <Stack>
      <Facts
        facts={sum.numbers === 1 && parts[0] !== undefined ? factsOfOne(say, parts[0]) : factsOfMany(say, parts)}
      />
      <Segments
        label={say('unknownPage.outcome')}
        value={outcome ?? ''}
        onChange={(value) => setOutcome(OUTCOMES.find((one) => one === value))}
        choices={OUTCOMES.map((value) => ({ value, label: say(WORDS[value]) }))}
      />
      <span className="soft">
        {outcome === undefined ? say('unknownPage.choose') : say(HINTS[outcome], { amount: sayAmounts(say, sum) })}
      </span>
      <TextField
        label={say('record.remark')}
        value={remark}
        onChange={(event) => setRemark(event.currentTarget.value)}
      />
      {failed.length > 0 && (
        <FailedTasks
          title={say('unknownPage.failed', { count: failed.length })}
          failed={failed}
          linkTask={linkOperatorTask}
        />
      )}
      <Group justify="flex-end">
        {resolve.isPending && sum.tasks > 1 && (
          <span role="status">{say('unknownPage.progress', { done, count: sum.tasks })}</span>
        )}
        <Button
          isBusy={resolve.isPending}
          disabled={outcome === undefined}
          onClick={() => outcome !== undefined && resolve.mutate(outcome)}
        >
          {say('unknownPage.resolveMany', { count: sum.numbers })}
        </Button>
      </Group>
    </Stack>
  );
}

type FactLines = readonly (readonly [string, ReactNode])[];

function factsOfOne(say: Say, part: UnknownPart): FactLines {
  return [
    [say('record.phone'), part.phone],
    [say('unknownPage.text'), part.text],
    [say('record.task'), `${part.task_no} #${part.seq}`],
    [say('field.channel_no'), <ChannelLink key="channel" channelNo={part.channel_no} />],
    [say('record.firm'), part.firm],
    [say('field.message_id'), part.upstream_message_id ?? say('unknownPage.noMessageId')],
    [say('unknownPage.submitNo'), part.submit_no && <code key="submit">{part.submit_no}</code>],
    [say('unknownPage.price'), sayAmounts(say, sumUnknown([part]))],
    [say('record.submitted'), part.submitted_at && <Moment key="submitted" at={part.submitted_at} />],
    [say('unknownPage.since'), <Moment key="since" at={part.since} />],
    [say('unknownPage.deadline'), <Moment key="deadline" at={part.deadline} />],
  ];
}

/** Each channel with what of it is meant: the answer of one carrier says nothing about those of another. */
function factsOfMany(say: Say, parts: readonly UnknownPart[]): FactLines {
  const channels = [...new Set(parts.map((part) => part.channel_no))];
  const sayMarked = (of: readonly UnknownPart[]) => {
    const sum = sumUnknown(of);
    return say('unknownPage.marked', { count: sum.numbers, tasks: sum.tasks, amount: sayAmounts(say, sum) });
  };
  return [
    [say('unknownPage.price'), sayAmounts(say, sumUnknown(parts))],
    [
      say('unknownPage.through'),
      <ul key="channels" className={styles.plain}>
        {channels.map((channelNo) => (
          <li key={channelNo}>
            <ChannelLink channelNo={channelNo} />: {sayMarked(parts.filter((part) => part.channel_no === channelNo))}
          </li>
        ))}
      </ul>,
    ],
  ];
}
