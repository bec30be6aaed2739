// Sends invitations by email, where a mail server is set. The library is loaded with the first one. A mail that cannot be sent is
// logged: the link is in the answer of the call in any case.

import type { FastifyBaseLogger } from 'fastify';
import type { Transporter } from 'nodemailer';

export interface InvitationMail {
  readonly email: string;
  readonly name: string;
  readonly url: string;
}

export type SendInvitation = (invitation: InvitationMail) => Promise<void>;

const TIMEOUT_MS = 10_000;

/** `url` like `smtps://user:password@mail.example.com?from=noreply@example.com`. */
export function createInvitationMailer(url: string, log: Pick<FastifyBaseLogger, 'warn'>): SendInvitation {
  const address = new URL(url);
  const from = address.searchParams.get('from') ?? senderOf(address);
  address.searchParams.delete('from');
  let transport: Promise<Transporter> | undefined;
  const open = async () => {
    const { createTransport } = await import('nodemailer');
    const limits = { connectionTimeout: TIMEOUT_MS, greetingTimeout: TIMEOUT_MS, socketTimeout: TIMEOUT_MS };
    return createTransport({ url: address.href, ...limits });
  };
  return async (invitation) => {
    try {
      transport ??= open();
      await (await transport).sendMail({
        from,
        to: { name: invitation.name, address: invitation.email },
        ...write(invitation),
      });
    } catch (error) {
      log.warn({ err: error, email: invitation.email }, 'the invitation could not be sent by email');
    }
  };
}

function senderOf({ username, hostname }: URL): string {
  const user = decodeURIComponent(username);
  return user.includes('@') ? user : `postrider@${hostname}`;
}

function write({ name, url }: InvitationMail) {
  return {
    subject: 'Your invitation to Postrider · Postrider 邀请',
    text: [
      `Hello ${name},`,
      '',
      'You are invited to Postrider. Choose a password with this link. It works once, for 7 days:',
      '您已受邀使用 Postrider。请通过以下链接设置密码，链接仅可使用一次，7 天内有效：',
      '',
      url,
      '',
    ].join('\n'),
  };
}
