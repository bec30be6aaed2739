import type { ReactElement } from 'react';
import { diffWords } from './diff-words.js';
import styles from './text-diff.module.css';

/** A text with what was taken out of it and what was put in; the marks do not rest on colour alone. */
export function TextDiff({ before, after }: { readonly before: string; readonly after: string }): ReactElement {
  return (
    <p className={styles.diff}>
      {diffWords(before, after).map(({ kind, text }, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece is what it is by its place.
        if (kind === 'removed') return <del key={index}>{text}</del>;
        // biome-ignore lint/suspicious/noArrayIndexKey: a piece is what it is by its place.
        if (kind === 'added') return <ins key={index}>{text}</ins>;
        return text;
      })}
    </p>
  );
}
