// Sends invitations and password reset links by email, where a mail server is set. The library is loaded with the first one. A mail that cannot be sent is
// logged: an admin can make another link.

import type { FastifyBaseLogger } from 'fastify';
import type { Transporter } from 'nodemailer';

export interface UserMail {
  readonly kind: 'invitation' | 'password_reset';
  readonly email: string;
  readonly url: string;
}

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
const TEXTS: Readonly<Record<UserMail['kind'], { readonly subject: string; readonly lines: readonly string[] }>> = {
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

function write({ kind, url }: UserMail) {
  const { subject, lines } = TEXTS[kind];
  return { subject, text: [...lines, '', url, ''].join('\n') };
}
