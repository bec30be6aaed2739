import { type ReactElement, useState } from 'react';
import { Button } from '../controls/button.js';
import type { EntityFormProps } from './entity-form.js';
import { FormDrawer } from './form-drawer.js';

interface FormDialogProps extends Omit<EntityFormProps, 'submit' | 'onDone'> {
  readonly label: string;
  /** What it is about, where the button does not say it. */
  readonly title?: string;
  readonly isPrimary?: boolean;
  /** In a row of a table. */
  readonly isCompact?: boolean;
  readonly submit?: string;
}

/** A button that opens a form. */
export function FormDialog(props: FormDialogProps): ReactElement {
  const { label, isPrimary = false, isCompact = false, submit = label, title = label, ...form } = props;
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
      <FormDrawer {...form} title={title} submit={submit} isOpen={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
