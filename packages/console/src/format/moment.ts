// Times as people read them: in the viewer's zone or in UTC, the other one always at hand.

import type { Language, Zone } from '../preferences.js';

/** `date` is a day without its year, `short` a minute without it. */
export type MomentStyle = 'minute' | 'second' | 'day' | 'date' | 'short';

const LOCALES: Record<Language, string> = { en: 'en-GB', zh: 'zh-CN' };

const formats = new Map<string, Intl.DateTimeFormat>();

/** Making a format is slow, using it is fast. */
function formatOf(language: Language, zone: Zone, style: MomentStyle): Intl.DateTimeFormat {
  const key = `${language} ${zone} ${style}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat(LOCALES[language], {
    ...(style === 'date' || style === 'short' ? {} : { year: 'numeric' }),
    // As figures, a date in Chinese fits the columns that one in English does.
    month: language === 'zh' ? '2-digit' : 'short',
    day: '2-digit',
    ...(style === 'day' || style === 'date' ? {} : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    ...(style === 'second' ? { second: '2-digit' } : {}),
    ...(zone === 'utc' ? { timeZone: 'UTC' } : {}),
  });
  formats.set(key, made);
  return made;
}

export function showMoment(at: string | number, language: Language, zone: Zone, style: MomentStyle = 'second'): string {
  return formatOf(language, zone, style).format(new Date(at));
}

/** The zone by its distance from UTC, which says the same in every language: `UTC+8`. Summer and winter may differ. */
export function nameZone(zone: Zone, atMs: number): string {
  const minutes = zone === 'utc' ? 0 : -new Date(atMs).getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const rest = Math.abs(minutes) % 60;
  const hours = Math.floor(Math.abs(minutes) / 60);
  return `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

/** The beginning of a day (`YYYY-MM-DD`) of the viewer; of the day after it where the day itself is meant to be included. */
export function startOfDay(day: string | undefined, zone: Zone, days = 0): Date | undefined {
  const [year, month, date] = (day ?? '').split('-').map(Number);
  if (year === undefined || month === undefined || date === undefined || Number.isNaN(date)) return undefined;
  if (zone === 'utc') return new Date(Date.UTC(year, month - 1, date + days));
  return new Date(year, month - 1, date + days);
}

/** What a field for date and time says, as the API takes it; undefined while it is empty or half filled in. */
export function readMomentField(text: string, zone: Zone): string | undefined {
  const atMs = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return text === '' || Number.isNaN(atMs) ? undefined : new Date(atMs).toISOString();
}

/** A moment as a field for date and time takes it, to the minute. */
export function writeMomentField(at: string | undefined, zone: Zone): string {
  const atMs = Date.parse(at ?? '');
  if (Number.isNaN(atMs)) return '';
  const shiftMs = zone === 'utc' ? 0 : new Date(atMs).getTimezoneOffset() * 60_000;
  return new Date(atMs - shiftMs).toISOString().slice(0, 16);
}
