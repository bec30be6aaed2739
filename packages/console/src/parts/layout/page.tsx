// The frame of a page and of the cards on it.

import type { ReactElement, ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import styles from './page.module.css';

interface PageProps {
  readonly title: string;
  /** Shown in place of the title, such as with a copy button; the title is still the tab's. */
  readonly heading?: ReactNode;
  readonly lead?: ReactNode;
  readonly above?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Page({ title, heading, lead, above, actions, children }: PageProps): ReactElement {
  useEffect(() => {
    document.title = `${title} · Postrider`;
  }, [title]);
  return (
    <>
      {above !== undefined && <div className="screen-only">{above}</div>}
      <header className={styles.head}>
        <div>
          <h1 className={styles.title}>{heading ?? title}</h1>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={`${styles.actions} screen-only`}>{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface CardProps {
  /** Where a link on the same page leads to. */
  readonly id?: string;
  readonly title?: ReactNode;
  readonly side?: ReactNode;
  /** A table fills its card to the edge. */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}

export function Card({ id, title, side, isFlush = false, children }: CardProps): ReactElement {
  const place = useRef<HTMLElement>(null);
  // What is read after the page was opened is not there yet when the browser looks for it.
  useEffect(() => {
    if (id !== undefined && location.hash === `#${id}`) place.current?.scrollIntoView();
  }, [id]);
  return (
    <section
      ref={place}
      id={id}
      // The browser takes the focus along to where a link leads, if it can have it.
      tabIndex={id === undefined ? undefined : -1}
      className={isFlush ? `${styles.card} ${styles.flush}` : `${styles.card} ${styles.padded}`}
    >
      {title !== undefined && (
        <h2 className={styles.cardTitle}>
          <span>{title}</span>
          {side}
        </h2>
      )}
      {children}
    </section>
  );
}

interface CardGridProps {
  /** How many side by side, or how wide each is to the others. */
  readonly columns?: number | readonly number[];
  readonly children: ReactNode;
}

export function CardGrid({ columns = 2, children }: CardGridProps): ReactElement {
  const shares = typeof columns === 'number' ? Array.from({ length: columns }, () => 1) : columns;
  return (
    <div className={styles.grid} style={{ '--columns': shares.map((share) => `minmax(0, ${share}fr)`).join(' ') }}>
      {children}
    </div>
  );
}

/** Names and values; those without a value are left out. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '');
  return (
    <dl className={styles.facts}>
      {known.map(([name, value]) => (
        <FactLine key={name} name={name} value={value} />
      ))}
    </dl>
  );
}

function FactLine({ name, value }: { readonly name: string; readonly value: ReactNode }): ReactElement {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  );
}
