import type { ReactElement } from 'react';
import { type MomentStyle, nameZone, showMoment } from '../../format/moment.js';
import { usePreferences } from '../../preferences.js';

interface MomentProps {
  readonly at: string | null | undefined;
  readonly style?: MomentStyle;
}

/** A time as the viewer prefers it; its zone and the exact time in UTC are at hand. */
export function Moment({ at, style = 'second' }: MomentProps): ReactElement {
  const { language, zone } = usePreferences();
  if (at === null || at === undefined) return <span className="soft">–</span>;
  const exact = showMoment(at, language, zone);
  return (
    <time dateTime={at} title={`${exact} ${nameZone(zone, Date.parse(at))}\n${at}`} className="nowrap">
      {style === 'second' ? exact : showMoment(at, language, zone, style)}
    </time>
  );
}
