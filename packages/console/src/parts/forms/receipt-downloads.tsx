import { Group } from '@mantine/core';
import type { ReactElement } from 'react';
import { buildTarget, openExport, saveFile } from '../../api/download.js';
import { useFirmNames } from '../../api/firms.js';
import { usePreferences } from '../../preferences.js';
import { useWords } from '../../words/say.js';
import { DownloadButton } from './download-button.js';

interface ReceiptDownloadsProps {
  /** Of the API. */
  readonly filters: Readonly<Record<string, string | undefined>>;
  /** Without its ending. */
  readonly fileName: string;
  readonly isCompact?: boolean;
}

/** All receipts of a list with their texts: as a CSV file for programs, as a workbook for people. */
export function ReceiptDownloads({ filters, fileName, isCompact = false }: ReceiptDownloadsProps): ReactElement {
  const say = useWords();
  const { zone } = usePreferences();
  const nameFirm = useFirmNames();
  const target = buildTarget('/openapi/v1/messages/receipts/', { ...filters, include: 'text' });
  return (
    <Group gap="xs">
      <DownloadButton isCompact={isCompact} target={target} fileName={`${fileName}.csv`} />
      <DownloadButton
        isCompact={isCompact}
        target={target}
        fileName={`${fileName}.xlsx`}
        label={say('record.downloadWorkbook')}
        download={async (session) => {
          // Few want it, and it is no part of the page until then.
          const { writeReceiptWorkbook } = await import('../../export/receipt-workbook.js');
          const rows = await openExport(session, target, 'application/x-ndjson');
          if (rows.body === null) throw new Error('an export without rows');
          saveFile(await writeReceiptWorkbook(rows.body, { say, zone, nameFirm }), `${fileName}.xlsx`);
        }}
      />
    </Group>
  );
}
