// What would be sent: texts, parts and price as the service computes them, while one types.

import { Alert, Stack } from '@mantine/core';
import { PostriderError, type Preview } from '@postrider/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useCustomer } from '../../api/clients.js';
import { useFirmNames } from '../../api/firms.js';
import { isNotFound } from '../../api/query-client.js';
import { showCount } from '../../format/count.js';
import { showAmount } from '../../format/money.js';
import { Card, Facts } from '../../parts/layout/page.js';
import { FailureState, LoadingState, ProblemText, State } from '../../parts/layout/states.js';
import { PlainTable } from '../../parts/tables/plain-table.js';
import { MissingMoney } from '../../parts/values/missing-money.js';
import { usePreferences } from '../../preferences.js';
import { sayValue, useWords } from '../../words/say.js';
import styles from './compose.module.css';
import { type Correction, Rejections } from './rejections.js';
import { buildBody, cutRows, type Draft } from './send-plan.js';

const draftNames = new WeakMap<Draft, number>();
let lastName = 0;

/** Identifies a draft, which never changes: comparing a list of thousands on every render would be slow. */
function nameDraft(draft: Draft): number {
  const known = draftNames.get(draft);
  if (known !== undefined) return known;
  lastName += 1;
  draftNames.set(draft, lastName);
  return lastName;
}

export function usePreview(draft: Draft, isComplete: boolean) {
  const client = useCustomer();
  return useQuery({
    queryKey: ['preview', nameDraft(draft)],
    enabled: isComplete,
    staleTime: 30_000,
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const requests = [...cutRows(draft.rows)].map((rows) => buildBody(draft, rows));
      const preview = await client.previewAll(requests, { signal });
      if (preview === null) throw new Error('a preview of nothing');
      return preview;
    },
  });
}

interface PreviewCardProps {
  readonly preview: ReturnType<typeof usePreview>;
  readonly isComplete: boolean;
  /** What is still to be filled in, by name. */
  readonly missing: readonly string[];
  readonly templateBody: string | undefined;
  readonly onCorrect: (corrections: readonly Correction[]) => void;
}

export function PreviewCard(props: PreviewCardProps): ReactElement {
  const { preview, isComplete, missing, templateBody, onCorrect } = props;
  const say = useWords();
  const { language } = usePreferences();
  const { data, error } = preview;
  const isFault = error instanceof PostriderError && error.status < 500 && !isNotFound(error);
  return (
    <Card title={say('compose.preview')}>
      {!isComplete ? (
        <State
          icon="compose"
          title={say('compose.missing', { what: new Intl.ListFormat(language).format(missing) })}
          hint={templateBody}
        />
      ) : error !== null && isFault ? (
        <Alert color="red">
          <ProblemText error={error} />
        </Alert>
      ) : error !== null ? (
        <FailureState error={error} mayBeMissing />
      ) : data === undefined ? (
        <LoadingState />
      ) : (
        <PreviewBody preview={data} onCorrect={onCorrect} />
      )}
    </Card>
  );
}

interface PreviewBodyProps {
  readonly preview: Preview;
  readonly onCorrect: (corrections: readonly Correction[]) => void;
}

function PreviewBody({ preview, onCorrect }: PreviewBodyProps): ReactElement {
  const say = useWords();
  const nameFirm = useFirmNames();
  const { currency } = preview;
  return (
    <Stack>
      <Rejections preview={preview} onCorrect={onCorrect} />
      {preview.samples.slice(0, 3).map((sample) => (
        <div key={sample.seq} className={styles.sample}>
          <span className={styles.bubble}>{sample.text}</span>
          <span className="soft">
            {sample.phone} · {sayValue(say, 'compose.encoding', sample.encoding)} ·{' '}
            {say('overview.parts', { count: sample.parts })} · {showAmount(sample.price, currency)}
          </span>
        </div>
      ))}
      <PlainTable
        label={say('compose.byFirm')}
        rows={preview.firms.map(({ firm, parts, unit_price: unitPrice, price }) => ({
          [say('record.firm')]: nameFirm(firm),
          [say('record.parts')]: parts,
          [say('compose.unitPrice')]: unitPrice,
          [say('record.price')]: price,
        }))}
      />
      <Facts
        facts={[
          [say('compose.sendable'), showCount(preview.sendable)],
          [say('outcome.rejected'), showCount(preview.rejected)],
          [say('record.parts'), showCount(preview.parts)],
          [say('money.price'), <strong key="price">{showAmount(preview.price, currency)}</strong>],
          [say('money.available'), showAmount(preview.available, currency)],
        ]}
      />
      {!preview.affordable && (
        <Alert color="orange">
          {say(preview.waits_for === 'limit' ? 'compose.overLimit' : 'compose.unaffordable')}{' '}
          <MissingMoney price={preview.price} waitsFor={preview.waits_for ?? 'funds'} />
        </Alert>
      )}
    </Stack>
  );
}
