// Fields to fill in, each with its name, what is to be known of it and what is wrong with it. Plain elements: of the library's a
// filter is a dozen components, and a page of them took longer to make than the list below.

import { type ComponentProps, type ReactElement, type ReactNode, useId } from 'react';
import { Icon } from '../../design/icons.js';
import styles from './field.module.css';

interface FieldProps {
  readonly label?: ReactNode;
  readonly description?: ReactNode;
  readonly error?: ReactNode;
  /** Marked as one that cannot be left out. */
  readonly isRequired?: boolean;
  /** In a line with others, or above a table. */
  readonly isSmall?: boolean;
  readonly className?: string | undefined;
}

/** What all fields have in common around that which is filled in; the rest is for the element itself. */
function useField<Props extends FieldProps>(props: Props) {
  const { label, description, error, isRequired = false, isSmall = false, className, ...others } = props;
  const id = useId();
  const hasError = error !== undefined && error !== null && error !== '';
  const hasDescription = description !== undefined && description !== null && description !== '';
  const describers = [...(hasDescription ? [`${id}-note`] : []), ...(hasError ? [`${id}-error`] : [])];
  return {
    /** Of the element that is filled in. */
    own: {
      ...others,
      id,
      className: isSmall ? `${styles.input} ${styles.small}` : styles.input,
      ...(hasError && { 'aria-invalid': true as const }),
      ...(describers.length > 0 && { 'aria-describedby': describers.join(' ') }),
    },
    surround: (input: ReactElement) => (
      <div className={className}>
        {label !== undefined && (
          <label htmlFor={id} className={styles.label}>
            {label}
            {isRequired && (
              <span className={styles.required} aria-hidden>
                {' *'}
              </span>
            )}
          </label>
        )}
        {hasDescription && (
          <p id={`${id}-note`} className={styles.note}>
            {description}
          </p>
        )}
        {input}
        {hasError && (
          <p id={`${id}-error`} className={styles.error}>
            {error}
          </p>
        )}
      </div>
    ),
  };
}

type Own<Element extends 'input' | 'select' | 'textarea'> = FieldProps &
  Omit<ComponentProps<Element>, keyof FieldProps | 'id'>;

interface TextFieldProps extends Own<'input'> {
  /** Within the field, before what is written. */
  readonly icon?: ReactElement;
}

export function TextField({ icon, ...props }: TextFieldProps): ReactElement {
  const { own, surround } = useField(props);
  if (icon === undefined) return surround(<input type="text" {...own} />);
  return surround(
    <span className={styles.marked}>
      {icon}
      <input type="text" {...own} />
    </span>,
  );
}

interface ChoiceFieldProps extends Own<'select'> {
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

/** The browser's own, which is there at once and which people know; it cannot be searched. */
export function ChoiceField({ choices, ...props }: ChoiceFieldProps): ReactElement {
  const { own, surround } = useField(props);
  return surround(
    <span className={styles.choice}>
      <select {...own}>
        {choices.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <Icon name="choose" size={16} />
    </span>,
  );
}

interface LongTextFieldProps extends Own<'textarea'> {
  /** At least; more as it is filled. */
  readonly rows: number;
  /** Every character as wide as the others. */
  readonly isCode?: boolean;
}

/**
 * As tall as what is in it. The browser sees to that by itself: told how tall to be, it would have to lay the page out each time to find
 * out. One that cannot shows the rows it was given, and a corner to pull at.
 */
export function LongTextField({ isCode = false, ...props }: LongTextFieldProps): ReactElement {
  const { own, surround } = useField(props);
  return surround(
    <textarea
      {...own}
      className={`${own.className} ${styles.long} ${isCode ? styles.code : ''}`}
      style={{ '--rows': String(props.rows) }}
    />,
  );
}
