// A carrier that writes markup wherever its words are shown: message ids, codes of reports, reports of nothing, replies. In a real
// browser none of it becomes anything but text.

import { OperatorClient } from '@postrider/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Peer, startPeer } from '../channels/smpp/peer.js';
import { findBrowserMissing } from '../support/browser.js';
import { until } from '../support/until.js';
import { type ConsoleService, expectQuiet, startConsoleService } from './console-service.js';

const missing = findBrowserMissing();

const ID = "<img/src='x'/onerror=hit=1>";
const STRAY_ID = '<svg/onload=hit=2>';
const CODE = '"><script>hit=3</script>';
const REPLY = '<iframe srcdoc="<script>parent.hit=4</script>"></iframe>';
const PHONE = '13800138000';
/** Its last event is a receipt, which an operator sees by its code. */
const SILENT_PHONE = '13800138001';

/** Refuses nothing: every message is accepted, then reported as undelivered, and one of the handsets replies. */
function startHostileCarrier(): Promise<Peer> {
  let sequence = 1000;
  return startPeer((pdu, connection) => {
    if (pdu.command !== 'submit_sm') return false;
    const isSilent = pdu.body.destination_addr.endsWith(SILENT_PHONE);
    const messageId = isSilent ? `2${ID}` : ID;
    connection.send('submit_sm_resp', 0, pdu.sequence, { message_id: messageId });
    const from = { source_addr: pdu.body.destination_addr, destination_addr: pdu.body.source_addr };
    const report = (id: string) => Buffer.from(`id:${id} sub:001 dlvrd:000 stat:UNDELIV err:${CODE} text:${ID}`);
    connection.deliver(sequence++, { ...from, esm_class: 4, short_message: report(messageId) });
    connection.deliver(sequence++, { ...from, esm_class: 4, short_message: report(STRAY_ID) });
    if (isSilent) return true;
    connection.deliver(sequence++, { ...from, short_message: Buffer.from(REPLY) });
    return true;
  });
}

describe.skipIf(missing !== undefined)(`a hostile carrier${missing === undefined ? '' : ` (${missing})`}`, () => {
  let console: ConsoleService;
  let peer: Peer;
  let channelNo: string;
  let taskNo: string;
  /** Of the receipt, as the service made it from the words of the report. */
  let code: string;

  beforeAll(async () => {
    peer = await startHostileCarrier();
    console = await startConsoleService();
    const operator = new OperatorClient(console.operator);
    const { demo, client } = console;
    const config = { host: '127.0.0.1', port: peer.port, system_id: 'us', password: 'right', reconnect_min_ms: 50 };
    const channel = await operator.createChannel({ name: 'Hostile', kind: 'smpp', firms: ['demo'], config });
    channelNo = channel.channel_no;
    await operator.grantChannel(demo.customer_no, channelNo);
    await operator.updateChannel(demo.channel_no, { status: 'disabled' });
    await until('the channel is up', async () => (await operator.channel(channelNo)).health.state === 'up');
    const request = {
      template_no: demo.template_no,
      phones: [PHONE, SILENT_PHONE],
      auto_freeze: true,
      auto_submit: true,
    };
    taskNo = (await client.send({ ...request, variable_values: { p1: 'Ann', p2: 'x', p3: 'y' } })).task_no;
    await until('the task is complete', async () => (await client.task(taskNo)).stage === 'completed');
    for await (const receipt of client.receipts({ taskNo })) code = receipt.code ?? '';
  });
  afterAll(async () => {
    await console.stop();
    await peer.stop();
  });

  /** Whether markup of the carrier has become an element, or has run. */
  const harm = () => ({
    hit: 'hit' in window,
    elements: document.querySelectorAll('img[onerror], svg[onload], iframe, body script:not([src])').length,
  });

  /** The failures page for a code, as the counts of the platform page link to it. */
  const failuresOf = (code: string): string =>
    `/operator/channels/${channelNo}/failures?${new URLSearchParams({ event: 'undelivered', code })}`;

  test.each([
    ['customer', 'receipts', (): string => '/receipts', CODE],
    ['customer', 'a number', (): string => `/numbers/${PHONE}`, ID],
    ['customer', 'a number, by the code of its receipt', (): string => `/numbers/${PHONE}`, CODE],
    ['customer', 'a number that the address invents', (): string => `/numbers/${encodeURIComponent(ID)}`, ID],
    ['customer', 'a task', (): string => `/tasks/${taskNo}`, PHONE],
    ['customer', 'the submits of a task', (): string => `/tasks/${taskNo}?tab=submits`, ID],
    ['customer', 'the reports of a task', (): string => `/tasks/${taskNo}?tab=deliveries`, CODE],
    ['customer', 'replies', (): string => '/replies', REPLY],
    ['operator', 'a channel', (): string => `/operator/channels/${channelNo}`, 'Hostile'],
    ['operator', 'the platform', (): string => '/operator/platform', CODE],
    ['operator', 'reports of nothing', (): string => '/operator/reports', STRAY_ID],
    ['operator', 'failures, by message id', (): string => failuresOf(code), ID],
    ['operator', 'failures, by code', (): string => failuresOf(code), CODE],
    ['operator', 'failures of a code that the address invents', (): string => failuresOf(STRAY_ID), STRAY_ID],
    ['operator', 'a number', (): string => `/operator/numbers/${SILENT_PHONE}`, CODE],
    ['operator', 'a number that the address invents', (): string => `/operator/numbers/${encodeURIComponent(ID)}`, ID],
  ] as const)('writes text and nothing else to the %s on the page of %s', async (role, _, path, shown) => {
    const watched = await console.open(path(), { role });
    const { page } = watched;
    await page.getByText(shown).first().waitFor();
    expect(await page.evaluate(harm)).toEqual({ hit: false, elements: 0 });
    expectQuiet(watched, console.service.url);
    await watched.close();
  });

  test('would be seen if its words became elements', async () => {
    const watched = await console.open('/receipts', { role: 'customer' });
    const { page } = watched;
    await page.evaluate(
      (html) => document.body.insertAdjacentHTML('beforeend', html),
      `${ID}${STRAY_ID}${CODE}${REPLY}`,
    );
    expect(await page.evaluate(harm)).toEqual({ hit: false, elements: 4 });
    // The content security policy keeps the scripts from running, and says so.
    await expect.poll(() => watched.complaints.length).toBeGreaterThan(0);
    await watched.close();
  });
});
