import { Group, Modal, Stack } from '@mantine/core';
import type { ReactElement } from 'react';
import { useWords } from '../../words/say.js';
import { Button } from '../controls/button.js';
import styles from './confirm-dialog.module.css';

interface ConfirmDialogProps {
  /** What is about to be done; closed while there is nothing. */
  readonly title: string | undefined;
  readonly hint: string | undefined;
  /** What the button says, where the title is too long for it. */
  readonly confirm?: string;
  readonly isDangerous?: boolean;
  /** False while the step cannot be taken yet. */
  readonly isReady?: boolean;
  readonly onClose: () => void;
  readonly onConfirm: () => void;
}

/** Says what a step will do before it is done. */
export function ConfirmDialog(props: ConfirmDialogProps): ReactElement {
  const { title, hint, confirm = title, isDangerous = false, isReady = true, onClose, onConfirm } = props;
  const say = useWords();
  const act = () => {
    onClose();
    onConfirm();
  };
  return (
    <Modal
      opened={title !== undefined}
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': say('action.close') }}
    >
      <Stack>
        <span>{hint}</span>
        <Group justify="flex-end">
          <Button look="bordered" onClick={onClose}>
            {say('action.back')}
          </Button>
          <Button isDangerous={isDangerous} disabled={!isReady} className={styles.whole} onClick={act}>
            {confirm}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
