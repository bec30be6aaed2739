import { type ReactElement, useState } from 'react';
import { DownloadRefused, downloadCsv } from '../../api/download.js';
import { Icon } from '../../design/icons.js';
import { type CustomerSession, useSessions } from '../../session/session.js';
import { useWords } from '../../words/say.js';
import { Button } from '../controls/button.js';

interface DownloadButtonProps {
  readonly target: string;
  readonly fileName: string;
  readonly isCompact?: boolean;
  readonly label?: string;
  /** In place of the CSV file of the service. */
  readonly download?: (session: CustomerSession) => Promise<void>;
}

/** All rows of a list, not only those on screen. An older service answers JSON only, and the button says so. */
export function DownloadButton(props: DownloadButtonProps): ReactElement {
  const { target, fileName, isCompact = false, label, download: save } = props;
  const say = useWords();
  const { customer } = useSessions();
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const download = async () => {
    if (customer === undefined) return;
    setBusy(true);
    setError(undefined);
    await (save?.(customer) ?? downloadCsv(customer, target, fileName)).catch(setError);
    setBusy(false);
  };
  const isUnavailable = error instanceof DownloadRefused && (error.status === 406 || error.status === 404);
  const note = isUnavailable ? say('state.unavailable') : error instanceof Error ? error.message : undefined;
  return (
    <Button
      look="bordered"
      size={isCompact ? 'low' : 'usual'}
      icon={<Icon name="down" size={16} />}
      isBusy={isBusy}
      disabled={isUnavailable}
      title={note}
      onClick={() => void download()}
    >
      {label ?? say('record.download')}
    </Button>
  );
}
