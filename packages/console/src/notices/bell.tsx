// What has changed since the last visit, behind a bell that says how much of it is new.

import { Popover } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ReactElement, useState } from 'react';
import { Icon } from '../design/icons.js';
import { Button } from '../parts/controls/button.js';
import { Moment } from '../parts/values/moment.js';
import { OutcomeSign } from '../parts/values/outcome-sign.js';
import type { Role } from '../session/session.js';
import { useWords } from '../words/say.js';
import styles from './bell.module.css';
import { type Notice, orderNotices } from './notice.js';
import { markSeen, useSeen } from './seen-notices.js';

const SHOWN = 30;

interface BellProps {
  readonly side: Role;
  /** Undefined while they are read. */
  readonly notices: readonly Notice[] | undefined;
}

export function Bell({ side, notices = [] }: BellProps): ReactElement {
  const say = useWords();
  const seen = useSeen(side);
  const [isOpen, setOpen] = useState(false);
  const ordered = orderNotices(notices).slice(0, SHOWN);
  const news = ordered.filter(({ id }) => !seen.includes(id));
  const label = news.length === 0 ? say('bell.none') : say('bell.new', { count: news.length });
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" width={360} trapFocus returnFocus withinPortal>
      <Popover.Target>
        <button type="button" className={styles.bell} aria-label={label} title={label} onClick={() => setOpen(!isOpen)}>
          <Icon name="bell" />
          {news.length > 0 && (
            <span className={styles.count} aria-hidden="true">
              {news.length}
            </span>
          )}
        </button>
      </Popover.Target>
      <Popover.Dropdown className={styles.panel}>
        <div className={styles.head}>
          <strong>{say('bell.title')}</strong>
          <Button
            size="small"
            look="words"
            disabled={news.length === 0}
            onClick={() =>
              markSeen(
                side,
                ordered.map(({ id }) => id),
              )
            }
          >
            {say('bell.markRead')}
          </Button>
        </div>
        {ordered.length === 0 ? (
          <p className="soft">{say('bell.nothing')}</p>
        ) : (
          <ul className={styles.list}>
            {ordered.map(({ id, look, text, at, to, search = {} }) => (
              <li key={id} className={seen.includes(id) ? styles.seen : undefined}>
                <Link
                  to={to}
                  search={search}
                  onClick={() => {
                    markSeen(side, [id]);
                    setOpen(false);
                  }}
                >
                  <OutcomeSign outcome={look} />
                  <span>
                    {text}
                    {!seen.includes(id) && <span className="visually-hidden"> ({say('bell.isNew')})</span>}
                    {at !== null && (
                      <span className={styles.at}>
                        <Moment at={at} style="short" />
                      </span>
                    )}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
