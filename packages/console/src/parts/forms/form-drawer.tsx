import { Drawer } from '@mantine/core';
import type { ReactElement } from 'react';
import { useWords } from '../../words/say.js';
import { EntityForm, type EntityFormProps } from './entity-form.js';

export interface FormDrawerProps extends Omit<EntityFormProps, 'onDone'> {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** A form beside the page, so that what it is about stays in sight. */
export function FormDrawer({ title, isOpen, onClose, ...form }: FormDrawerProps): ReactElement {
  const say = useWords();
  return (
    <Drawer
      opened={isOpen}
      onClose={onClose}
      position="right"
      title={title}
      closeButtonProps={{ 'aria-label': say('action.close') }}
    >
      {isOpen && <EntityForm {...form} onDone={onClose} />}
    </Drawer>
  );
}
