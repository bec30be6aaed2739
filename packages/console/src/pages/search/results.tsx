// What was found, in groups. A group without results is left out.

import { Stack } from '@mantine/core';
import type { ReactElement, ReactNode } from 'react';
import { Card, Page } from '../../parts/layout/page.js';
import { FailureState, LoadingState, State } from '../../parts/layout/states.js';
import { type PlainRow, PlainTable } from '../../parts/tables/plain-table.js';
import { useWords } from '../../words/say.js';

export interface ResultGroup {
  readonly name: string;
  readonly rows: readonly PlainRow[];
}

interface SearchResultsProps {
  readonly wanted: string;
  /** Undefined while they are read. */
  readonly groups: readonly ResultGroup[] | undefined;
  readonly error: unknown;
  /** What can be searched for, where nothing was found. */
  readonly hint: ReactNode;
}

export function SearchResults({ wanted, groups, error, hint }: SearchResultsProps): ReactElement {
  const say = useWords();
  const found = groups?.filter(({ rows }) => rows.length > 0);
  return (
    <Page title={say('search.title', { wanted })}>
      {found === undefined ? (
        <Card>{error === null ? <LoadingState /> : <FailureState error={error} />}</Card>
      ) : found.length === 0 ? (
        <Card>
          <State icon="search" title={say('search.nothing')} hint={hint} />
        </Card>
      ) : (
        <Stack>
          {found.map(({ name, rows }) => (
            <Card key={name} title={name}>
              <PlainTable label={name} rows={rows} />
            </Card>
          ))}
        </Stack>
      )}
    </Page>
  );
}
