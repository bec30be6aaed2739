// A mail server that takes every message and keeps it: enough of RFC 5321 for one client.

import { type AddressInfo, createServer, type Socket } from 'node:net';

export interface SmtpListener {
  readonly url: string;
  readonly messages: { readonly from: string; readonly to: string; readonly data: string }[];
  stop(): Promise<void>;
}

export async function startSmtpListener(): Promise<SmtpListener> {
  const messages: SmtpListener['messages'] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = '';
    let from = '';
    let to = '';
    let isData = false;
    const take = (line: string): string | undefined => {
      const [, command = '', rest = ''] = /^(\w+)\s*(.*)$/.exec(line) ?? [];
      if (/^(EHLO|HELO|NOOP|RSET)$/i.test(command)) return '250 ok';
      if (/^MAIL$/i.test(command)) from = rest.replace(/^FROM:<|>.*$/gi, '');
      if (/^RCPT$/i.test(command)) to = rest.replace(/^TO:<|>.*$/gi, '');
      if (/^DATA$/i.test(command)) {
        isData = true;
        return '354 go on';
      }
      if (/^QUIT$/i.test(command)) {
        socket.end('221 bye\r\n');
        return undefined;
      }
      return '250 ok';
    };
    socket.setEncoding('utf8');
    socket.on('error', () => {});
    socket.on('data', (chunk: string) => {
      text += chunk;
      for (;;) {
        const end = text.indexOf(isData ? '\r\n.\r\n' : '\r\n');
        if (end < 0) return;
        const taken = text.slice(0, end);
        text = text.slice(end + (isData ? 5 : 2));
        if (isData) {
          // A line that begins with a point has been given another.
          messages.push({ from, to, data: taken.replaceAll('\r\n..', '\r\n.') });
          isData = false;
          socket.write('250 kept\r\n');
        } else {
          const answer = take(taken);
          if (answer !== undefined) socket.write(`${answer}\r\n`);
        }
      }
    });
    socket.write('220 ready\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
