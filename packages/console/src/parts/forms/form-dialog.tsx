import { Drawer } from '@mantine/core';
import { type ReactElement, useState } from 'react';
import { useWords } from '../../words/say.js';
import { Button } from '../controls/button.js';
import { EntityForm, type EntityFormProps } from './entity-form.js';

interface FormDialogProps extends Omit<EntityFormProps, 'submit' | 'onDone'> {
  readonly label: string;
  /** What it is about, where the button does not say it. */
  readonly title?: string;
  readonly isPrimary?: boolean;
  /** In a row of a table. */
  readonly isCompact?: boolean;
  readonly submit?: string;
}

/** A button that opens a form beside the page, so that what it is about stays in sight. */
export function FormDialog(props: FormDialogProps): ReactElement {
  const { label, isPrimary = false, isCompact = false, submit = label, title = label, ...form } = props;
  const say = useWords();
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        look={isPrimary ? 'filled' : 'bordered'}
        size={isCompact ? 'small' : 'usual'}
        onClick={() => setOpen(true)}
      >
        {label}
      </Button>
      <Drawer
        opened={isOpen}
        onClose={() => setOpen(false)}
        position="right"
        title={title}
        closeButtonProps={{ 'aria-label': say('action.close') }}
      >
        {isOpen && <EntityForm {...form} submit={submit} onDone={() => setOpen(false)} />}
      </Drawer>
    </>
  );
}
