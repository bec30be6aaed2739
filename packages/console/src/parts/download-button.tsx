import { useMutation } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { DownloadRefused, downloadCsv } from '../api/download.js';
import { Icon } from '../design/icons.js';
import { useSessions } from '../session/session.js';
import { useWords } from '../words/say.js';
import { Button } from './button.js';

interface DownloadButtonProps {
  readonly target: string;
  readonly fileName: string;
  readonly isCompact?: boolean;
}

/** All rows of a list, not only those on screen. An older service answers JSON only, and the button says so. */
export function DownloadButton({ target, fileName, isCompact = false }: DownloadButtonProps): ReactElement | null {
  const say = useWords();
  const { customer } = useSessions();
  const download = useMutation({
    mutationFn: async () => {
      if (customer !== undefined) await downloadCsv(customer, target, fileName);
    },
  });
  const { error } = download;
  const isUnavailable = error instanceof DownloadRefused && (error.status === 406 || error.status === 404);
  const note = error === null ? undefined : isUnavailable ? say('state.unavailable') : error.message;
  return (
    <Button
      look="bordered"
      size={isCompact ? 'low' : 'usual'}
      icon={<Icon name="down" size={16} />}
      isBusy={download.isPending}
      disabled={isUnavailable}
      title={note}
      onClick={() => download.mutate()}
    >
      {say('record.download')}
    </Button>
  );
}
