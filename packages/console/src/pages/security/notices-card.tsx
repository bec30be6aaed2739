// The person's email notifications.

import { Alert, Checkbox, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { Card } from '../../parts/layout/page.js';
import { FailureState, LoadingState, ProblemText } from '../../parts/layout/states.js';
import type { UserSession } from '../../session/session.js';
import { callAuth } from '../../session/user-session.js';
import { sayValue, useWords } from '../../words/say.js';

interface NoticeChoice {
  readonly topics: readonly string[];
  readonly offered: readonly string[];
  readonly is_mailed: boolean;
}

const PATH = '/auth/notices';

export function NoticesCard({ session }: { readonly session: UserSession }): ReactElement {
  const say = useWords();
  const queryClient = useQueryClient();
  const { data, error } = useQuery({
    queryKey: ['notices', session.sessionId],
    queryFn: ({ signal }) => callAuth<NoticeChoice>({ method: 'GET', path: PATH, signal }, session),
  });
  const choose = useMutation({
    mutationFn: (topics: readonly string[]) =>
      callAuth<NoticeChoice>({ method: 'PATCH', path: PATH, body: { topics } }, session),
    onSuccess: (answer) => queryClient.setQueryData(['notices', session.sessionId], answer),
  });
  if (data === undefined) {
    return (
      <Card title={say('notices.title')}>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>
    );
  }
  const { topics, offered, is_mailed: isMailed } = data;
  const toggle = (topic: string, isChosen: boolean) =>
    choose.mutate(isChosen ? [...topics, topic] : topics.filter((one) => one !== topic));
  return (
    <Card title={say('notices.title')}>
      <Stack gap="sm">
        <p className="soft">
          {say(session.user.side === 'operator' ? 'notices.operatorHint' : 'notices.hint', {
            email: session.user.email,
          })}
        </p>
        {!isMailed && (
          <Alert color="orange">
            {say(session.user.side === 'operator' ? 'notices.operatorNoServer' : 'notices.noServer')}
          </Alert>
        )}
        {offered.map((topic) => (
          <Checkbox
            key={topic}
            label={sayValue(say, 'notices', topic)}
            checked={topics.includes(topic)}
            disabled={choose.isPending}
            onChange={(event) => toggle(topic, event.currentTarget.checked)}
          />
        ))}
        {choose.error !== null && <ProblemText error={choose.error} />}
      </Stack>
    </Card>
  );
}
