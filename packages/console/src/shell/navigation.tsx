import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { Icon } from '../design/icons.js';
import type { Role } from '../session/session.js';
import { usePages } from '../side-pages.js';
import { useWords } from '../words/say.js';
import styles from './shell.module.css';

export function Navigation({ role }: { readonly role: Role }): ReactElement {
  const say = useWords();
  return (
    <div className={styles.navigation}>
      {usePages(role).map(({ word, entries }) => (
        <div key={word ?? 'first'}>
          {word !== undefined && <p className={styles.group}>{say(word)}</p>}
          {entries.map((entry) => (
            <Link key={entry.to} to={entry.to} className={styles.link} activeProps={{ 'aria-current': 'page' }}>
              <Icon name={entry.icon} />
              {say(entry.word)}
            </Link>
          ))}
        </div>
      ))}
    </div>
  );
}
