// Compose: a template, a list, and what it will cost before it is sent.

import { MultiSelect, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type OwnTemplate, PostriderError, type Preview, type VariableName } from '@postrider/client';
import { type ReactElement, useMemo } from 'react';
import { useFirms } from '../../api/firms.js';
import { useSendTakes } from '../../api/openapi.js';
import { useTemplates } from '../../api/templates.js';
import { nameZone, readMomentField, showMoment } from '../../format/moment.js';
import { showAmount } from '../../format/money.js';
import { ButtonLink } from '../../parts/controls/button.js';
import { Segments } from '../../parts/controls/segments.js';
import { ChoiceField, TextField } from '../../parts/forms/field.js';
import { Card, Page } from '../../parts/layout/page.js';
import { FailureState, LoadingState, State } from '../../parts/layout/states.js';
import { usePreferences } from '../../preferences.js';
import { type Say, useWords } from '../../words/say.js';
import { useFaultWords } from '../../words/use-error-words.js';
import styles from './compose.module.css';
import { ConfirmOver, needsConfirmation } from './confirm-over.js';
import { useKept } from './kept-draft.js';
import { findLastTemplate } from './last-template.js';
import { PreviewCard, usePreview } from './preview-card.js';
import { type RecipientTable, readRecipients, replacePhone } from './recipients.js';
import { PhoneColumn, RecipientsField, VariableField } from './recipients-card.js';
import type { Draft, VariableSource } from './send-plan.js';
import { SendRun, useSendRun } from './send-run.js';

export function ComposePage(): ReactElement {
  const say = useWords();
  const templates = useTemplates();
  const active = templates.data?.items.filter(({ status }) => status === 'active');
  return (
    <Page title={say('nav.compose')} lead={say('compose.lead')}>
      {active === undefined ? (
        <Card>
          {templates.error === null ? <LoadingState /> : <FailureState error={templates.error} mayBeMissing />}
        </Card>
      ) : active.length === 0 ? (
        <Card>
          <NoTemplates isInReview={templates.data?.items.some(({ status }) => status === 'pending') ?? false} />
        </Card>
      ) : (
        <ComposeForm templates={active} />
      )}
    </Page>
  );
}

/** What to do before the first message: submit a template, or wait until the platform has reviewed it. */
function NoTemplates({ isInReview }: { readonly isInReview: boolean }): ReactElement {
  const say = useWords();
  return (
    <State
      icon="compose"
      title={say(isInReview ? 'compose.inReview' : 'compose.noTemplates')}
      hint={say(isInReview ? 'compose.inReviewHint' : 'compose.noTemplatesHint')}
    >
      <ButtonLink to="/templates" look="bordered">
        {say('nav.templates')}
      </ButtonLink>
    </State>
  );
}

/** A column of that name, else the columns beside the numbers in their order: what most lists mean. */
function guessSources(
  variables: readonly VariableName[],
  { columns, phoneColumn }: RecipientTable,
): Partial<Record<VariableName, VariableSource>> {
  const others = columns.map((_, index) => index).filter((index) => index !== phoneColumn);
  const guesses: Partial<Record<VariableName, VariableSource>> = {};
  for (const [index, name] of variables.entries()) {
    const named = columns.indexOf(name);
    const column = named >= 0 ? named : others[index];
    if (column !== undefined) guesses[name] = { kind: 'column', column };
  }
  return guesses;
}

/** The carrier of the demo, whose simulated numbers have fixed results. */
const DEMO_FIRM = 'demo';

const NO_VALUE: VariableSource = { kind: 'text', text: '' };

function ComposeForm({ templates }: { readonly templates: readonly OwnTemplate[] }): ReactElement {
  const say = useWords();
  const { language, zone, confirmOver } = usePreferences();
  const zoneName = nameZone(zone, Date.now());
  const showTime = (at: string) => `${showMoment(at, language, zone, 'minute')} ${nameZone(zone, Date.parse(at))}`;
  const hasBatches = useSendTakes('batch_id');
  const hasSchedule = useSendTakes('send_at');
  const firms = useFirms();
  const [templateNo, setTemplateNo] = useKept('templateNo', () => findLastTemplate(templates));
  const [chosenFirms, setChosenFirms] = useKept<string[]>('firms', () => []);
  const [text, setText] = useKept('text', () => '');
  const [phoneColumn, setPhoneColumn] = useKept<number | undefined>('phoneColumn', () => undefined);
  const [sources, setSources] = useKept<Partial<Record<VariableName, VariableSource>>>('sources', () => ({}));
  const [reference, setReference] = useKept('reference', () => new Date().toISOString().slice(0, 10));
  const [title, setTitle] = useKept('title', () => '');
  const [whenFinished, setWhenFinished] = useKept<'submit' | 'prepare'>('whenFinished', () => 'submit');
  const [sendAt, setSendAt] = useKept('sendAt', () => '');
  const [expiresAt, setExpiresAt] = useKept('expiresAt', () => '');
  // A template that was kept may have been disabled since.
  const template = templates.find((one) => one.template_no === templateNo);
  const table = useMemo(() => readRecipients(text), [text]);
  const variables = template?.variables ?? [];
  const guesses = useMemo(() => guessSources(template?.variables ?? [], table), [template, table]);
  const sourceOf = (name: VariableName) => sources[name] ?? guesses[name] ?? NO_VALUE;
  // The same object until something in it changes: a new one is previewed again.
  const draft = useMemo(
    (): Draft => ({
      templateNo,
      firms: chosenFirms,
      rows: table.rows,
      phoneColumn: phoneColumn ?? table.phoneColumn,
      variables: Object.fromEntries(
        (template?.variables ?? []).map((name) => [name, sources[name] ?? guesses[name] ?? NO_VALUE]),
      ),
      reference: reference.trim(),
      title: title.trim(),
      isSubmitted: whenFinished === 'submit',
      sendAt: readMomentField(sendAt, zone),
      expiresAt: readMomentField(expiresAt, zone),
      hasBatch: hasBatches,
    }),
    [
      templateNo,
      template,
      chosenFirms,
      table,
      phoneColumn,
      sources,
      guesses,
      reference,
      title,
      whenFinished,
      sendAt,
      expiresAt,
      hasBatches,
      zone,
    ],
  );
  const unfilled = variables.filter((name) => {
    const source = sourceOf(name);
    return source.kind === 'text' && source.text === '';
  });
  const missing = [
    ...(template === undefined ? [say('compose.aTemplate')] : []),
    ...(table.rows.length === 0 ? [say('compose.someRecipients')] : []),
    ...unfilled.map((name) => `{${name}}`),
  ];
  const isDamaged = text.includes('\uFFFD');
  const isPast = (at: string | undefined) => at !== undefined && Date.parse(at) <= Date.now();
  const pastFault = (at: string | undefined) => (isPast(at) ? say('compose.past') : undefined);
  const isInTime = !isPast(draft.sendAt) && !isPast(draft.expiresAt);
  const isComplete = template !== undefined && missing.length === 0 && !isDamaged && isInTime;
  const [settled] = useDebouncedValue(draft, 400);
  const preview = usePreview(settled, isComplete);
  // The preview of this very draft, and none while it is missing, refused or of an earlier draft.
  const current =
    isComplete && settled === draft && !preview.isPlaceholderData && preview.error === null ? preview.data : undefined;
  const sendable = current?.sendable ?? table.rows.length;
  const isReady = current !== undefined && current.sendable > 0 && !preview.isFetching;
  const send = useSendRun(draft);
  const faultOf = createFaultReader(send.run.error ?? preview.error, useFaultWords());
  return (
    <div className={styles.layout}>
      <Stack>
        <Card title={say('compose.what')}>
          <Stack>
            <TextField
              label={say('task.title')}
              description={say('compose.titleHint')}
              error={faultOf('/title')}
              value={title}
              maxLength={100}
              onChange={(event) => setTitle(event.currentTarget.value)}
            />
            <ChoiceField
              label={say('tasks.filter.template')}
              description={template?.body}
              error={faultOf('/template_no')}
              value={template?.template_no ?? ''}
              onChange={(event) => setTemplateNo(event.currentTarget.value)}
              choices={[
                ...(template === undefined ? [{ value: '', label: say('compose.chooseTemplate') }] : []),
                ...templates.map(({ template_no: value, name }) => ({ value, label: `${name} · ${value}` })),
              ]}
            />
            <MultiSelect
              label={say('task.firms')}
              placeholder={chosenFirms.length === 0 ? say('task.everyFirm') : ''}
              error={faultOf('/target_firms')}
              value={chosenFirms}
              onChange={setChosenFirms}
              data={firms.data?.items.map(({ firm, name }) => ({ value: firm, label: name })) ?? []}
            />
          </Stack>
        </Card>
        <Card title={say('compose.who')}>
          <Stack>
            <RecipientsField
              text={text}
              table={table}
              isDemo={firms.data?.items.some(({ firm }) => firm === DEMO_FIRM) ?? false}
              error={isDamaged ? say('compose.damagedText') : (faultOf('/phones') ?? faultOf('/recipients'))}
              onText={setText}
            />
            <PhoneColumn table={table} column={draft.phoneColumn} onColumn={setPhoneColumn} />
            {variables.map((name) => (
              <VariableField
                key={name}
                name={name}
                body={template?.body ?? ''}
                table={table}
                source={sourceOf(name)}
                error={faultOf(`/variable_values/${name}`)}
                onSource={(source) => setSources({ ...sources, [name]: source })}
              />
            ))}
          </Stack>
        </Card>
        <Card title={say('compose.when')}>
          <Stack>
            <Segments
              label={say('compose.when')}
              value={whenFinished}
              onChange={(value) => setWhenFinished(value === 'prepare' ? 'prepare' : 'submit')}
              choices={[
                { value: 'submit', label: say('compose.submit') },
                { value: 'prepare', label: say('compose.prepareOnly') },
              ]}
            />
            {hasSchedule && (
              <>
                <TextField
                  type="datetime-local"
                  label={`${say('compose.sendAt')} (${zoneName})`}
                  description={say('compose.sendAtHint')}
                  error={pastFault(draft.sendAt) ?? faultOf('/send_at')}
                  value={sendAt}
                  onChange={(event) => setSendAt(event.currentTarget.value)}
                />
                <TextField
                  type="datetime-local"
                  label={`${say('compose.expiresAt')} (${zoneName})`}
                  description={say('compose.expiresAtHint')}
                  error={pastFault(draft.expiresAt) ?? faultOf('/expires_at')}
                  value={expiresAt}
                  onChange={(event) => setExpiresAt(event.currentTarget.value)}
                />
              </>
            )}
            <TextField
              label={say('compose.reference')}
              description={say('compose.referenceHint')}
              error={faultOf('/client_request_id')}
              value={reference}
              maxLength={40}
              onChange={(event) => setReference(event.currentTarget.value)}
            />
          </Stack>
        </Card>
      </Stack>
      <div className={styles.side}>
        <PreviewCard
          preview={preview}
          isComplete={isComplete}
          missing={missing}
          templateBody={template?.body}
          onCorrect={(corrections) =>
            setText(corrections.reduce((list, { phone, meant }) => replacePhone(list, phone, meant), text))
          }
        />
        <Card>
          <Stack>
            <SendRun
              send={send}
              isReady={isReady}
              label={say(whenFinished === 'submit' ? 'compose.send' : 'compose.prepare', { count: sendable })}
              question={
                needsConfirmation(draft, current, confirmOver) ? askToSend(say, current, draft, showTime) : undefined
              }
              onAsk={() => preview.isStale && void preview.refetch()}
            />
            {draft.isSubmitted && <ConfirmOver currency={preview.data?.currency} />}
          </Stack>
        </Card>
      </div>
    </div>
  );
}

/** How many messages go out, for how much and when. */
function askToSend(say: Say, preview: Preview | undefined, draft: Draft, showTime: (at: string) => string): string {
  if (preview === undefined) return say('state.loading');
  const { sendable, rejected, price, currency } = preview;
  return [
    say('compose.ask', { count: sendable, amount: showAmount(price, currency) }),
    draft.sendAt === undefined ? say('compose.askNow') : say('compose.askAt', { time: showTime(draft.sendAt) }),
    rejected === 0 ? '' : say('compose.askRejected', { count: rejected }),
  ]
    .join(' ')
    .trim();
}

/** Faults are shown at their field, those of rows with the row number. */
function createFaultReader(
  error: unknown,
  sayFault: ReturnType<typeof useFaultWords>,
): (pointer: string) => string | undefined {
  const faults = error instanceof PostriderError ? error.errors : [];
  return (pointer) => {
    const fault = faults.find((one) => one.pointer === pointer || one.pointer.startsWith(`${pointer}/`));
    if (fault === undefined) return undefined;
    const row = /^\/(?:phones|recipients)\/(\d+)/.exec(fault.pointer)?.[1];
    return row === undefined ? sayFault(fault) : `#${Number(row) + 1}: ${sayFault(fault)}`;
  };
}
