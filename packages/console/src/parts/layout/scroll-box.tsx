import type { ReactElement, ReactNode } from 'react';

interface ScrollBoxProps {
  readonly label: string;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** What may be wider or higher than its place: a keyboard scrolls it, too. */
export function ScrollBox({ label, className, children }: ScrollBoxProps): ReactElement {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without focus a keyboard could not reach what is out of sight.
    <section className={className} aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
