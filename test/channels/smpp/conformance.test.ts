import { openSmppChannel } from '../../../src/channels/smpp/smpp-channel.js';
import { startMessageCentre } from '../../../src/smsc/message-centre.js';
import { describeChannel } from '../channel-conformance.js';
import { makeConfig, silentLog } from './peer.js';

const options = { log: silentLog, clock: () => performance.now(), now: Date.now, random: Math.random };

describeChannel('SMPP', async () => {
  const centre = await startMessageCentre({ port: 0, lateMs: 1_000 });
  const config = makeConfig(centre.port, { response_timeout_ms: 800, sessions: 2 });
  return { channel: openSmppChannel(config, options), stop: () => centre.stop() };
});

describeChannel('SMPP transmitter and receiver', async () => {
  const centre = await startMessageCentre({ port: 0, lateMs: 1_000, ids: 'mixed', receipts: 'mixed', earlyRate: 0.3 });
  const config = makeConfig(centre.port, {
    response_timeout_ms: 800,
    bind: 'transmitter_receiver',
    long_message: 'sar',
    receipts: 'by_text',
  });
  return { channel: openSmppChannel(config, options), stop: () => centre.stop() };
});
