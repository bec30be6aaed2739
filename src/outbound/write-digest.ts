// The text of the operators' digest, each line in both languages.

import type { DayFigures, Digest } from '../domain/digest.js';
import { formatMoney, moneyFromMillionths } from '../domain/money/money.js';

export interface DigestMail {
  readonly kind: 'digest';
  readonly email: string;
  /** Of the console. */
  readonly url: string;
  readonly digest: Digest;
}

const MAX_REJECTIONS = 10;
/** What carriers answer is theirs: anything that does not look like a code is not shown. */
const CODE = /^[\w.:-]{1,40}$/;

export function writeDigest({ url, digest }: DigestMail) {
  const { day, timeZone, figures, before, unconfirmed, reviews, channelsDown } = digest;
  const lines = [
    `${day} (${timeZone}); in brackets the day before. · ${day}（${timeZone}），括号内为前一日。`,
    '',
    `Sent · 已发送: ${compare(figures.sent, before.sent)}`,
    `Delivered · 已送达: ${compare(figures.delivered, before.delivered)}`,
    `Delivery rate · 送达率: ${compare(rateOf(figures), rateOf(before))}`,
    ...writeRejections(figures, before),
    ...writeMoney(figures, before),
    `${url}operator/margins`,
    '',
    `Unconfirmed now · 当前待核实: ${unconfirmed}`,
    `${url}operator/unknown`,
    `Templates to review · 待审核模板: ${reviews}`,
    `${url}operator/reviews`,
    `Channels down · 中断的通道: ${channelsDown.length === 0 ? '0' : `${channelsDown.length} (${channelsDown.join(', ')})`}`,
    `${url}operator/platform`,
    '',
    'You chose this digest under "Sign-in and security".',
    '您可在“登录与安全”中取消此日报。',
    `${url}operator/security`,
    '',
  ];
  return { subject: `Postrider ${day} · Postrider 日报`, text: lines.join('\n') };
}

function writeRejections(figures: DayFigures, before: DayFigures): readonly string[] {
  const totalOf = ({ rejections }: DayFigures) => rejections.reduce((sum, { count }) => sum + count, 0);
  const countBefore = (code: string) => before.rejections.find((one) => one.code === code)?.count ?? 0;
  const shown = figures.rejections.filter(({ code }) => CODE.test(code)).slice(0, MAX_REJECTIONS);
  return [
    `Rejected · 已拒绝: ${compare(totalOf(figures), totalOf(before))}`,
    ...shown.map(({ code, count }) => `  ${code}: ${compare(count, countBefore(code))}`),
  ];
}

function writeMoney(figures: DayFigures, before: DayFigures): readonly string[] {
  const currencies = [...new Set([...figures.money, ...before.money].map(({ currency }) => currency))].sort();
  return currencies.flatMap((currency) => {
    const of = ({ money }: DayFigures, field: 'charged' | 'cost' | 'margin') =>
      formatMoney(moneyFromMillionths(money.find((one) => one.currency === currency)?.[field] ?? 0n));
    const line = (title: string, field: 'charged' | 'cost' | 'margin') =>
      `${title}: ${compare(of(figures, field), of(before, field))} ${currency}`;
    return [line('Charged · 已扣费', 'charged'), line('Cost · 成本', 'cost'), line('Margin · 毛利', 'margin')];
  });
}

function compare(now: number | string, before: number | string): string {
  return `${now} (${before})`;
}

function rateOf({ sent, delivered }: DayFigures): string {
  return sent === 0 ? '–' : `${((100 * delivered) / sent).toFixed(1)} %`;
}
