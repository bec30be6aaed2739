// Times as people read them: in the viewer's zone or in UTC, the other one always at hand.

import type { Language, Zone } from '../shell/preferences.js';

const LOCALES: Record<Language, string> = { en: 'en-GB', zh: 'zh-CN' };

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format is slow, using it is fast. */
function formatOf(language: Language, zone: Zone, style: 'minute' | 'second' | 'day'): Intl.DateTimeFormat {
  const key = `${language} ${zone} ${style}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(LOCALES[language], {
    year: 'numeric',
    // As figures, a date in Chinese fits the columns that one in English does.
    month: language === 'zh' ? '2-digit' : 'short',
    day: '2-digit',
    ...(style === 'day' ? {} : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    ...(style === 'second' ? { second: '2-digit' } : {}),
    ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
  });
  formats.set(key, made);
  return made;
}

export function showMoment(
  at: string | number,
  language: Language,
  zone: Zone,
  style: 'minute' | 'second' | 'day' = 'second',
): string {
  return formatOf(language, zone, style).format(new Date(at));
}

/** Whole units, the largest that is not zero: `3 min`, `850 ms`. */
export function showDuration(milliseconds: number): string {
  if (milliseconds < 1_000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1_000).toFixed(1)} s`;
  if (milliseconds < 3_600_000) return `${Math.round(milliseconds / 60_000)} min`;
  if (milliseconds < 172_800_000) return `${(milliseconds / 3_600_000).toFixed(1)} h`;
  return `${Math.round(milliseconds / 86_400_000)} d`;
}
