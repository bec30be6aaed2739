import type { Platform } from '@postrider/client';
import type { ReactElement } from 'react';
import { ageMs } from '../../../api/platform.js';
import { showCount } from '../../../format/count.js';
import { PlainTable } from '../../../parts/tables/plain-table.js';
import { StatusLabel } from '../../../parts/values/status-label.js';
import { useWords } from '../../../words/say.js';
import { sayDuration } from '../../../words/say-duration.js';
import styles from '../operator.module.css';
import { LAG_MS } from './platform-limits.js';
import { ThresholdValue } from './threshold-value.js';

const MEBIBYTE = 1_048_576;

/** Every process, what it does, and which channels it has in hand. */
export function PlatformNodes({ platform }: { readonly platform: Platform }): ReactElement {
  const say = useWords();
  const rows = platform.nodes.map((node) => {
    const held = platform.channels.filter(({ health }) => health.owner === node.node);
    const leases = held.map(({ name, lease }) => `${name} (${lease?.token ?? '–'})`).join(', ');
    return {
      [say('platform.node')]: <span className="mono">{node.node}</span>,
      [say('record.status')]: <StatusLabel status={node.is_alive ? 'up' : 'silent'} />,
      [say('platform.roles')]: node.roles.join(', '),
      [say('platform.leases')]: leases === '' ? null : <span className={styles.text}>{leases}</span>,
      [say('platform.uptime')]: sayDuration(say, ageMs(platform, node.started_at) ?? 0),
      [say('platform.memory')]: `${showCount(Math.round(node.memory_bytes / MEBIBYTE))} MiB`,
      [say('platform.lag')]: (
        <ThresholdValue value={node.is_alive ? node.lag_ms : 0} limits={LAG_MS}>
          {say('duration.ms', { value: node.lag_ms.toFixed(1) })}
        </ThresholdValue>
      ),
      [say('platform.version')]: node.version,
    };
  });
  const figures = [say('platform.uptime'), say('platform.memory'), say('platform.lag')];
  return <PlainTable rows={rows} label={say('platform.nodes')} figures={figures} />;
}
