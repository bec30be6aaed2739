// From which sum on a send is confirmed before it goes out, however few numbers it has.

import type { Preview } from '@postrider/client';
import { type ReactElement, useState } from 'react';
import { toMillionths } from '../../format/money.js';
import { TextField } from '../../parts/forms/field.js';
import { changePreferences, isAmount, usePreferences } from '../../preferences.js';
import { useWords } from '../../words/say.js';
import type { Draft } from './send-plan.js';

/** Sends to several numbers always are; one to a single number where it costs more than the user has set. */
export function needsConfirmation(draft: Draft, preview: Preview | undefined, over: string): boolean {
  if (!draft.isSubmitted) return false;
  return draft.rows.length > 1 || (preview !== undefined && toMillionths(preview.price) > toMillionths(over));
}

export function ConfirmOver({ currency = '' }: { readonly currency: string | undefined }): ReactElement {
  const say = useWords();
  const { confirmOver } = usePreferences();
  const [text, setText] = useState(confirmOver);
  const change = (value: string) => {
    setText(value);
    if (isAmount(value.trim())) changePreferences({ confirmOver: value.trim() });
  };
  return (
    <TextField
      isSmall
      label={currency === '' ? say('compose.confirmOver') : `${say('compose.confirmOver')} (${currency})`}
      description={say('compose.confirmOverHint')}
      error={isAmount(text.trim()) ? undefined : say('compose.confirmOverFault')}
      inputMode="decimal"
      value={text}
      onChange={(event) => change(event.currentTarget.value)}
    />
  );
}
