// Against third-party implementations: Kannel's drive_smpp and Perl's Net::SMPP, where they are installed
// (Debian: kannel-extras, libnet-smpp-perl).
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { startMessageCentre } from '../../../tools/message-centre/message-centre.js';
import { createConfig, createPart, createParts, openChannel, submitAll, waitFor } from './peer.js';

const DRIVE_SMPP = '/usr/lib/kannel/test/drive_smpp';
const hasKannel = existsSync(DRIVE_SMPP);
const hasPerl = spawnSync('perl', ['-MNet::SMPP', '-e', '1']).status === 0;
if (!hasKannel) process.stdout.write('skipped: drive_smpp is not installed (Debian package kannel-extras)\n');
if (!hasPerl) process.stdout.write('skipped: Net::SMPP is not installed (Debian package libnet-smpp-perl)\n');

const closers: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function findFreePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== 'object' || address === null) throw new Error('no free port');
  return address.port;
}

/** Starts a program that ends with the test; `output` is what it has said so far. */
function start(command: string, args: string[], input = ''): { child: ChildProcess; output: () => string } {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output += chunk;
  });
  child.stdin.end(input);
  closers.push(
    () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  );
  return { child, output: () => output };
}

it.skipIf(!hasKannel)('works with Kannel’s drive_smpp: binds, answers, deliveries, enquiries, unbind', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'drive-smpp-'));
  closers.push(() => rmSync(folder, { recursive: true }));
  // The program also wants a bearerbox to talk to, which need not say anything.
  const box = createServer((socket) => socket.resume().on('error', () => socket.destroy()));
  await new Promise<void>((resolve) => box.listen(0, '127.0.0.1', resolve));
  closers.push(() => void box.close());
  const address = box.address();
  const boxPort = typeof address === 'object' && address !== null ? address.port : 0;
  const [port, adminPort] = [await findFreePort(), await findFreePort()];
  const smsc = `group = smsc\nsmsc = smpp\nsmsc-id = smpp\nhost = 127.0.0.1\nsmsc-username = test\nsmsc-password = secret\n`;
  writeFileSync(
    join(folder, 'drive.conf'),
    `group = core\nadmin-port = ${adminPort}\nsmsbox-port = ${boxPort}\nadmin-password = x\n\n${smsc}port = ${port}\nsystem-type = "VMA"\n\n` +
      `group = smsbox\nbearerbox-host = 127.0.0.1\n\ngroup = sms-service\nkeyword = default\ntext = "none"\n`,
  );
  const centre = start(DRIVE_SMPP, ['-v', '0', '-p', String(port), '-m', '20', '-c', join(folder, 'drive.conf')]);
  const { channel, feedback } = await openChannel(port, { bind: 'transmitter_receiver', system_type: 'VMA' });
  channel.onFeedback((each) => {
    feedback.push(each);
    each.ack();
  });
  closers.push(() => channel.close());
  const outcomes = await submitAll(channel, createParts(50));
  expect(outcomes.map(({ kind }) => kind)).toEqual(new Array(50).fill('accepted'));
  const count = (text: string) => centre.output().split(text).length - 1;
  await waitFor(() => feedback.length === 20 && count('type enquire_link_resp') > 0);
  for (const each of feedback) each.ack();
  await waitFor(() => count('type deliver_sm_resp') === 20);
  await channel.close();
  await waitFor(() => count('type unbind') === 2);
  expect(count('type submit_sm')).toBe(50);
  expect(count('submit_sm: short_message = <hello>')).toBe(50);
});

const PERL_CENTRE = `
use Net::SMPP; $| = 1;
my $server = Net::SMPP->new_listen('127.0.0.1', port => $ARGV[0], smpp_version => 0x34) or die "listen: $!";
print "listening\\n";
my $c = $server->accept or die;
$c->set_version(0x34) if $c->can('set_version');
my $id = 0;
while (my $pdu = $c->read_pdu()) {
  my $cmd = $pdu->{cmd};
  if ($cmd == 0x09) { $c->bind_transceiver_resp(system_id => 'perl', seq => $pdu->{seq}); }
  elsif ($cmd == 0x04) {
    $id++;
    print "submit $pdu->{destination_addr} $pdu->{source_addr_ton} $pdu->{data_coding} ", unpack('H*', $pdu->{short_message}), "\\n";
    $c->submit_sm_resp(message_id => "perl-$id", seq => $pdu->{seq});
    $c->deliver_sm(source_addr => $pdu->{destination_addr}, destination_addr => $pdu->{source_addr}, esm_class => 4, async => 1,
      short_message => "id:perl-$id sub:001 dlvrd:001 submit date:2611140930 done date:2611140931 stat:DELIVRD err:000 text:x");
  }
  elsif ($cmd == 0x80000005) { print "acknowledged $pdu->{status}\\n"; }
  elsif ($cmd == 0x15) { $c->enquire_link_resp(seq => $pdu->{seq}); }
  elsif ($cmd == 0x06) { $c->unbind_resp(seq => $pdu->{seq}); print "unbound\\n"; last; }
}
`;

it.skipIf(!hasPerl)('works with a message centre of Perl’s Net::SMPP', async () => {
  const port = await findFreePort();
  const centre = start('perl', ['-', String(port)], PERL_CENTRE);
  await waitFor(() => centre.output().includes('listening'));
  const { channel, feedback } = await openChannel(port);
  closers.push(() => channel.close());
  const parts = [
    createPart({ text: 'price: 5 €' }),
    createPart({ to: '8613800138001', text: '汉字', encoding: 'ucs2' }),
  ];
  expect(await submitAll(channel, parts)).toMatchObject([
    { kind: 'accepted', messageId: 'perl-1' },
    { kind: 'accepted', messageId: 'perl-2' },
  ]);
  await waitFor(() => feedback.length === 2);
  expect(feedback).toMatchObject([
    { kind: 'report', messageId: 'perl-1', status: 'delivered', phone: '8613800138000' },
    { kind: 'report', messageId: 'perl-2', status: 'delivered', phone: '8613800138001' },
  ]);
  for (const each of feedback) each.ack();
  await waitFor(() => centre.output().split('acknowledged 0').length === 3);
  await channel.close();
  await waitFor(() => centre.output().includes('unbound'));
  expect(centre.output()).toContain('submit 8613800138000 5 0 70726963653a2035201b65');
  expect(centre.output()).toContain('submit 8613800138001 5 8 6c495b57');
});

const PERL_CLIENT = `
use Net::SMPP; $| = 1;
my ($smpp, $resp) = Net::SMPP->new_transceiver('127.0.0.1', port => $ARGV[0], smpp_version => 0x34, system_id => 'test',
  password => 'secret', system_type => '', interface_version => 0x34) or die "connect: $!";
print "bound $resp->{system_id} $resp->{status}\\n";
my $answer = $smpp->submit_sm(source_addr => '10690', destination_addr => '8613800139008', registered_delivery => 1,
  short_message => 'hello', data_coding => 0);
print "answer $answer->{status} ", length($answer->{message_id}), "\\n";
for (1, 2) {
  my $pdu = $smpp->read_pdu() or die 'closed';
  print "deliver $pdu->{source_addr} $pdu->{destination_addr} $pdu->{esm_class} $pdu->{short_message}\\n";
  $smpp->deliver_sm_resp(message_id => '', seq => $pdu->{seq});
}
my $end = $smpp->unbind();
print "unbind $end->{status}\\n";
`;

it.skipIf(!hasPerl)('the message centre serves a client of Perl’s Net::SMPP', async () => {
  const centre = await startMessageCentre({ port: 0, systemId: 'test', password: createConfig(1).password });
  closers.push(() => centre.stop());
  const client = start('perl', ['-', String(centre.port)], PERL_CLIENT);
  await waitFor(() => client.output().includes('unbind') || client.child.exitCode !== null);
  expect(client.output()).toMatch(/^bound postrider-smsc 0\nanswer 0 \d+\n/);
  expect(client.output()).toMatch(/deliver 8613800139008 10690 4 id:\d+ sub:001 .* stat:DELIVRD err:000/);
  expect(client.output()).toContain('deliver 8613800139008 10690 0 OK\nunbind 0\n');
  expect(centre.counts()).toMatchObject({ submits: 1, accepted: 1, receipts: 1, uplinks: 1, acknowledged: 2 });
});
