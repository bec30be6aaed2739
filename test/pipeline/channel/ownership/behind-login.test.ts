// Carriers send what they kept for a client right behind the answer to its login. A channel that is reopened is not ready to receive
// then: nothing is refused, and nothing is lost at a carrier that sends nothing twice.

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  type MessageCentre,
  startCmppCentre,
  startMessageCentre,
  startSgipCentre,
  startSmgpCentre,
} from '../../../../tools/message-centre/message-centre.js';
import { createConfig as createCmppConfig } from '../../../channels/cmpp/peer.js';
import { createConfig as createSgipConfig, findFreePort } from '../../../channels/sgip/peer.js';
import { createConfig as createSmgpConfig } from '../../../channels/smgp/conformance.js';
import { createConfig as createSmppConfig } from '../../../channels/smpp/peer.js';
import { isWaitedFor } from '../../../support/lock-waits.js';
import { allOf, type Service, startService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** Keeps all receipts and replies for the next login. What is refused then is given up; what is not answered is not repeated in time. */
const KEEPING = { port: 0, atLoginRate: 1, repeatRefused: false } as const;
const PATIENT = { ...KEEPING, redeliverMs: 60_000 } as const;

const CARRIERS: Readonly<Record<string, () => Promise<{ centre: MessageCentre; config: object }>>> = {
  async smpp() {
    const centre = await startMessageCentre(KEEPING);
    return { centre, config: createSmppConfig(centre.port) };
  },
  async cmpp() {
    const centre = await startCmppCentre(PATIENT);
    return { centre, config: createCmppConfig(centre.port) };
  },
  async smgp() {
    const centre = await startSmgpCentre(PATIENT);
    return { centre, config: createSmgpConfig(centre.port) };
  },
  async sgip() {
    const clientPort = await findFreePort();
    const centre = await startSgipCentre({ ...PATIENT, clientPort });
    return { centre, config: createSgipConfig(centre.port, clientPort) };
  },
};

test.each(Object.entries(CARRIERS))(
  '%s feedback behind the login waits until the channel is ready',
  async (kind, open) => {
    const { centre, config } = await open();
    onTestFinished(() => centre.stop());
    const request = { name: 'Carrier', kind, firms: ['cmcc'], config: { ...config } } as const;
    const { channel_no: channelNo } = await service.operator.createChannel(request);
    const logins = kind === 'sgip' ? 2 : 1;
    await until('the channel is up', () => centre.counts().binds === logins);
    const customer = await service.addCustomer({ channelNos: [channelNo] });
    // Each is delivered and replied to.
    const phones = Array.from({ length: 9 }, (_, at) => `1380${at}139008`);
    const { task_no: taskNo } = await customer.send(phones);
    await customer.taskWhen(taskNo, ({ counts }) => counts.awaiting === phones.length);

    // While test messages cannot be written, the channel opens its sessions and does not get ready.
    await service.sql.begin(async (tx) => {
      await tx`set local idle_in_transaction_session_timeout = 0`;
      await tx`lock table channel_test in share mode`;
      await service.operator.updateChannel(channelNo, { name: 'Carrier, renamed' });
      await until('the channel is opened again', () => centre.counts().binds === 2 * logins);
      await until('it is not ready', () => isWaitedFor(service.sql, tx));
    });
    const { counts } = await customer.completed(taskNo);
    expect(counts).toMatchObject({ delivered: phones.length });
    await until(
      'the replies are stored',
      async () => (await allOf(customer.client.uplinks())).length === phones.length,
    );
    expect(centre.counts()).toMatchObject({ acknowledged: 2 * phones.length, redelivered: 0, givenUp: 0 });
  },
);
