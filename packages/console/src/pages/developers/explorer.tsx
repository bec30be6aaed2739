// Any call of the OpenAPI document, signed and sent from here, with its answer and as a program.

import { Alert, Badge, Group, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { createElement, Fragment, type ReactElement, useMemo, useState } from 'react';
import { signHeaders } from '../../api/download.js';
import { SEND_PATH, useOpenApi } from '../../api/openapi.js';
import { useTemplates } from '../../api/templates.js';
import { Button } from '../../parts/controls/button.js';
import { LongTextField, TextField } from '../../parts/forms/field.js';
import { useFilters } from '../../parts/forms/filters.js';
import { Card } from '../../parts/layout/page.js';
import { ScrollBox } from '../../parts/layout/scroll-box.js';
import { FailureState, LoadingState } from '../../parts/layout/states.js';
import { type CustomerSession, useSessions } from '../../session/session.js';
import { useWords } from '../../words/say.js';
import { CodeSample } from './code-sample.js';
import styles from './developers.module.css';
import { buildTarget, listOperations, type Operation } from './operations.js';

interface ExplorerAnswer {
  readonly status: number;
  readonly tookMs: number;
  readonly headers: string;
  readonly text: string;
}

async function sendSigned(
  session: CustomerSession,
  { method, target, body }: { readonly method: string; readonly target: string; readonly body: string },
): Promise<ExplorerAnswer> {
  const headers = await signHeaders(session, { method, target, body });
  const startedMs = performance.now();
  const response = await fetch(target, {
    method,
    headers: { ...headers, ...(body === '' ? {} : { 'content-type': 'application/json' }) },
    ...(body === '' ? {} : { body }),
  });
  const text = await response.text();
  return {
    status: response.status,
    tookMs: performance.now() - startedMs,
    headers: [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n'),
    text: indentJson(text),
  };
}

function indentJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

export function Explorer(): ReactElement {
  const say = useWords();
  const filters = useFilters(['tab', 'call'] as const);
  const document = useOpenApi();
  const data = useMemo(() => document.data && listOperations(document.data), [document.data]);
  const { error } = document;
  const ownBody = useTemplates();
  if (data === undefined || ownBody.isPending)
    return <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>;
  const chosen = data.find(({ id }) => id === filters.values.call) ?? data[0];
  // A send that names a template of one's own, and takes every step, works as it stands; the example of the document would not.
  const own = ownBody.data?.items[0]?.example;
  const body = own && { ...own, auto_prepare: true, auto_freeze: true, auto_submit: true };
  const operation = chosen?.path === SEND_PATH && body !== undefined ? { ...chosen, body } : chosen;
  return (
    <Stack>
      <Select
        label={say('explorer.call')}
        searchable
        allowDeselect={false}
        value={operation?.id ?? null}
        onChange={(id) => filters.set('call', id)}
        data={data.map(({ id, method, path, summary }) => ({ value: id, label: `${method} ${path} · ${summary}` }))}
      />
      {operation !== undefined && <OperationForm key={operation.id} operation={operation} />}
    </Stack>
  );
}

function OperationForm({ operation }: { readonly operation: Operation }): ReactElement {
  const say = useWords();
  const { customer } = useSessions();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(operation.body === undefined ? '' : JSON.stringify(operation.body, null, 2));
  const target = buildTarget(operation, values);
  const call = { method: operation.method, target, body };
  const send = useMutation({
    mutationFn: async () => (customer === undefined ? undefined : sendSigned(customer, call)),
  });
  const isComplete = operation.pathParameters.every(({ name }) => (values[name] ?? '') !== '');
  const fieldOf = ({ name, description }: Operation['queryParameters'][number]) => (
    <TextField
      key={name}
      label={name}
      description={description === undefined ? undefined : markCode(description)}
      value={values[name] ?? ''}
      onChange={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
    />
  );
  return (
    <div className={styles.columns}>
      <Card
        title={
          <span>
            <Badge variant="light">{operation.method}</Badge> <code>{operation.path}</code>
          </span>
        }
      >
        <Stack>
          {operation.description !== undefined && <Text c="dimmed">{markCode(operation.description)}</Text>}
          <div className={styles.fields}>
            {operation.pathParameters.map(fieldOf)}
            {operation.queryParameters.map(fieldOf)}
          </div>
          {operation.body !== undefined && (
            <LongTextField
              label={say('explorer.body')}
              rows={4}
              isCode
              spellCheck={false}
              value={body}
              onChange={(event) => setBody(event.currentTarget.value)}
            />
          )}
          <Group justify="space-between">
            <code className={styles.target}>{target}</code>
            <Button disabled={!isComplete} isBusy={send.isPending} onClick={() => send.mutate()}>
              {say('explorer.send')}
            </Button>
          </Group>
          {operation.method !== 'GET' && (
            <Text size="xs" c="dimmed">
              {say('explorer.real')}
            </Text>
          )}
        </Stack>
      </Card>
      <Stack>
        <Card title={say('explorer.answer')}>
          {send.error !== null && <Alert color="red">{send.error.message}</Alert>}
          {send.data === undefined ? <Text c="dimmed">{say('explorer.none')}</Text> : <AnswerView answer={send.data} />}
        </Card>
        <CodeSample
          call={{
            ...call,
            baseUrl: location.origin,
            apiKey: customer !== undefined && 'apiKey' in customer ? customer.apiKey : 'API_KEY',
          }}
        />
      </Stack>
    </div>
  );
}

/** Descriptions of the document name fields between backticks: every other piece stands between two of them. */
function markCode(text: string): ReactElement {
  const pieces = text.split('`').map((piece, index) => (index % 2 === 1 ? createElement('code', null, piece) : piece));
  return createElement(Fragment, null, ...pieces);
}

function AnswerView({ answer }: { readonly answer: ExplorerAnswer }): ReactElement {
  const say = useWords();
  const isGood = answer.status < 400;
  return (
    <Stack gap="xs">
      <Group gap="xs" role="status">
        <Badge color={isGood ? 'green' : 'red'} variant="light">
          {answer.status}
        </Badge>
        <Text size="sm" c="dimmed">
          {Math.round(answer.tookMs)} ms
        </Text>
      </Group>
      <ScrollBox className={styles.scroll} label={say('explorer.answer')}>
        <pre className={styles.code}>{answer.text}</pre>
      </ScrollBox>
      <details>
        <summary>{say('explorer.headers')}</summary>
        <ScrollBox className={styles.scroll} label={say('explorer.headers')}>
          <pre className={styles.code}>{answer.headers}</pre>
        </ScrollBox>
      </details>
    </Stack>
  );
}
