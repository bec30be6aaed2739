// The whole service on an SGIP gateway: reports and replies come over connections that the gateway opens.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { formatSequence } from '../../../../src/channels/sgip/sequence.js';
import { startSgipCentre } from '../../../../tools/message-centre/message-centre.js';
import {
  createConfig,
  dialIn,
  findFreePort,
  gatewaySequence,
  sendReport,
  startPeer,
} from '../../../channels/sgip/peer.js';
import { allOf, type Service, startService } from '../../../support/service.js';
import { until } from '../../../support/until.js';

let service: Service;

beforeAll(async () => {
  service = await startService({ env: { POSTRIDER_UNKNOWN_TIMEOUT: '1h' } });
});
afterAll(async () => {
  await service.stop();
});

async function createChannel(port: number, listenPort: number): Promise<string> {
  const config = { ...createConfig(port, listenPort) };
  const { channel_no } = await service.operator.createChannel({
    name: 'Unicom',
    kind: 'sgip',
    firms: ['cmcc'],
    config,
  });
  await until('the channel is up', async () => (await service.operator.channel(channel_no)).health.state === 'up');
  return channel_no;
}

test('a message is sent once, reported and answered, and its books are right', async () => {
  const clientPort = await findFreePort();
  const centre = await startSgipCentre({ port: 0, clientPort });
  onTestFinished(() => centre.stop());
  const customer = await service.addCustomer({ channelNos: [await createChannel(centre.port, clientPort)] });
  const { task_no: taskNo } = await customer.send(['13800139001', '13800139002', '13800139003', '13800139008']);
  const { counts } = await customer.completed(taskNo);
  expect(counts).toMatchObject({ delivered: 2, undelivered: 1, rejected: 1 });
  const deliveries = await allOf(customer.client.deliveries({ taskNo }));
  expect(deliveries.map(({ code }) => code).sort()).toEqual(['0', '0', '2:29']);
  const submits = await allOf(customer.client.submits({ taskNo }));
  expect(submits.map(({ code }) => code).filter((code) => code !== '0')).toContain('29');
  await until('the reply is stored', async () => (await allOf(customer.client.uplinks())).length === 1);
  expect(centre.counts()).toMatchObject({ accepted: 3, doubled: 0 });
});

test('reports settle the parts of a long message whose answers were all lost, each its own', async () => {
  const peer = await startPeer((pdu, { all, socket }) => {
    if (pdu.command === 'submit' && all('submit').length === 2) socket.destroy();
    return pdu.command === 'submit';
  });
  onTestFinished(() => peer.stop());
  const listenPort = await findFreePort();
  const channelNo = await createChannel(peer.port, listenPort);
  const customer = await service.addCustomer({ channelNos: [channelNo], body: 'A long text. '.repeat(20) });
  const { task_no: taskNo } = await customer.send(['13800138002']);
  await customer.taskWhen(taskNo, ({ stage }) => stage === 'submit_unknown');
  const gateway = await dialIn(listenPort);
  onTestFinished(() => {
    gateway.socket.destroy();
  });
  const [first, second] = peer.submits();
  if (first === undefined || second === undefined) throw new Error('a part was not submitted');
  const number = { user_number: '8613800138002' };
  sendReport(gateway, gatewaySequence(1), formatSequence(second.sequence), { ...number, state: 2, error_code: 25 });
  sendReport(gateway, gatewaySequence(2), formatSequence(first.sequence), number);
  await until('the reports are acknowledged', () => gateway.all('report_resp').length === 2);
  await customer.completed(taskNo);
  const deliveries = await allOf(customer.client.deliveries({ taskNo }));
  expect(deliveries.map(({ part, code }) => [part, code]).sort()).toEqual([
    [1, '0'],
    [2, '2:25'],
  ]);
  expect(peer.submits()).toHaveLength(2);
});
