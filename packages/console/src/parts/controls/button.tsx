// Something to press. Plain elements, as fields are: of the library's each is five components.

import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import styles from './button.module.css';

interface ButtonLook {
  /** What is meant to be pressed is filled; everything else has a border, or is words alone. */
  readonly look?: 'filled' | 'bordered' | 'words';
  readonly size?: 'tiny' | 'small' | 'low' | 'usual' | 'tall';
  readonly isDangerous?: boolean;
  readonly icon?: ReactElement | undefined;
  readonly className?: string | undefined;
}

interface ButtonProps extends ButtonLook, Omit<ComponentProps<'button'>, keyof ButtonLook> {
  /** What was asked for is under way; it cannot be asked for again meanwhile. */
  readonly isBusy?: boolean;
}

export function Button({ isBusy = false, type = 'button', disabled, children, ...props }: ButtonProps): ReactElement {
  const [look, { icon, ...others }] = splitLook(props);
  return (
    <button
      {...others}
      type={type}
      disabled={disabled === true || isBusy}
      data-busy={isBusy || undefined}
      className={look}
    >
      {icon}
      {children}
    </button>
  );
}

interface ButtonLinkProps extends ButtonLook, Omit<LinkProps, keyof ButtonLook | 'children'> {
  readonly children: ReactNode;
}

/** Looks like something to press, and leads to another page. */
export function ButtonLink({ children, ...props }: ButtonLinkProps): ReactElement {
  const [look, { icon, ...others }] = splitLook(props);
  return (
    <Link {...others} className={look}>
      {icon}
      {children}
    </Link>
  );
}

function splitLook<Props extends ButtonLook>(
  props: Props,
): [string, Omit<Props, 'look' | 'size' | 'isDangerous' | 'className'>] {
  const { look = 'filled', size = 'usual', isDangerous = false, className = '', ...others } = props;
  const danger = isDangerous ? styles.dangerous : '';
  // The usual size has no class of its own.
  return [`${styles.button} ${styles[look]} ${styles[size] ?? ''} ${danger} ${className}`, others];
}
