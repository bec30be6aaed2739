// Sends invitations, password reset links, notices and digests by email, where a mail server is set. The library is loaded with the first one. A mail that cannot be sent is
// logged: an admin can make another link.

import type { FastifyBaseLogger } from 'fastify';
import type { Transporter } from 'nodemailer';
import type { CustomerTopic } from '../domain/entities/notice.js';
import { type DigestMail, writeDigest } from './write-digest.js';

interface LinkMail {
  readonly kind: 'invitation' | 'password_reset';
  readonly email: string;
  readonly url: string;
}

interface NoticeMail {
  readonly kind: 'notice';
  readonly email: string;
  /** Of the console. */
  readonly url: string;
  readonly topics: readonly CustomerTopic[];
}

export type UserMail = LinkMail | NoticeMail | DigestMail;

export type SendUserMail = (mail: UserMail) => Promise<void>;

const TIMEOUT_MS = 10_000;

/** `url` like `smtps://user:password@mail.example.com?from=noreply@example.com`. */
export function createUserMailer(url: string, log: Pick<FastifyBaseLogger, 'warn'>): SendUserMail {
  const address = new URL(url);
  const from = address.searchParams.get('from') ?? senderOf(address);
  address.searchParams.delete('from');
  let transport: Promise<Transporter> | undefined;
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
    return createTransport({ url: address.href, ...limits });
  };
  return async (mail) => {
    try {
      transport ??= open();
      await (await transport).sendMail({
        from,
        to: mail.email,
        ...write(mail),
      });
    } catch (error) {
      log.warn({ err: error, email: mail.email, mail: mail.kind }, 'a mail could not be sent');
    }
  };
}

function senderOf({ username, hostname }: URL): string {
  const user = decodeURIComponent(username);
  return user.includes('@') ? user : `postrider@${hostname}`;
}

/** No text that a customer writes goes into a mail: it would come to strangers in the name of the service. */
const TEXTS: Readonly<Record<LinkMail['kind'], { readonly subject: string; readonly lines: readonly string[] }>> = {
  invitation: {
    subject: 'Your invitation to Postrider · Postrider 邀请',
    lines: [
      'You are invited to Postrider. Choose a password with this link. It works once, for 7 days:',
      '您已受邀使用 Postrider。请通过以下链接设置密码，链接仅可使用一次，7 天内有效：',
    ],
  },
  password_reset: {
    subject: 'Reset your Postrider password · 重置 Postrider 密码',
    lines: [
      'Choose a new password with this link. It works once, for one hour. If you did not ask for it, ignore this mail:',
      '请通过以下链接设置新密码，链接仅可使用一次，1 小时内有效。如非本人操作，请忽略此邮件：',
    ],
  },
};

/** Each with the page that shows it. */
const NOTICE_TEXTS: Readonly<Record<CustomerTopic, { readonly lines: readonly string[]; readonly page: string }>> = {
  balance: {
    lines: ['The balance has fallen below its alert mark.', '余额已低于提醒值。'],
    page: 'ledger',
  },
  webhooks: {
    lines: ['A webhook gets no events: its endpoint fails.', '有 Webhook 推送失败，无法接收事件。'],
    page: 'developers?tab=webhooks',
  },
  reviews: {
    lines: ['A template was reviewed.', '有模板已完成审核。'],
    page: 'templates',
  },
  statements: {
    lines: ['The statement of last month is final.', '上月对账单已定稿。'],
    page: 'ledger',
  },
};

function writeNotice({ url, topics }: NoticeMail) {
  const texts = topics.flatMap((topic) => {
    const { lines, page } = NOTICE_TEXTS[topic];
    return [...lines, url + page, ''];
  });
  const end = [
    'You chose these notices under "Sign-in and security".',
    '您可在“登录与安全”中更改通知设置。',
    `${url}security`,
    '',
  ];
  return { subject: 'Notices of Postrider · Postrider 通知', text: [...texts, ...end].join('\n') };
}

function write(mail: UserMail) {
  if (mail.kind === 'notice') return writeNotice(mail);
  if (mail.kind === 'digest') return writeDigest(mail);
  const { subject, lines } = TEXTS[mail.kind];
  return { subject, text: [...lines, '', mail.url, ''].join('\n') };
}
