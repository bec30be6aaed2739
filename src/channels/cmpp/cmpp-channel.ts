// A CMPP channel: the shared session machinery with the PDUs of CMPP.
import type { Channel } from '../channel.js';
import { createAnswerReader, nameMessageId } from '../china/answers.js';
import { type GatewayTiming, openGatewayChannel } from '../china/gateway-channel.js';
import type { DriverDeps } from '../driver.js';
import type { CmppConfig } from './config.js';
import { readDelivered } from './delivered.js';
import type { Body } from './pdu.js';
import { type CmppPdu, createCmppProtocol } from './protocol.js';
import { SUBMIT_RESULTS } from './results.js';
import { createSubmissionBuilder } from './submission.js';

export function openCmppChannel(config: CmppConfig, deps: DriverDeps, timing: Partial<GatewayTiming> = {}): Channel {
  return openGatewayChannel<CmppPdu, Body<'submit'>>(
    config,
    deps,
    {
      name: 'CMPP',
      createProtocol: () => createCmppProtocol(config, deps),
      buildSubmission: createSubmissionBuilder(config),
      readOutcome: createAnswerReader(SUBMIT_RESULTS, deps.log, readAnswer),
      readDelivered,
    },
    timing,
  );
}

function readAnswer(pdu: CmppPdu) {
  if (pdu.command !== 'submit_resp') return undefined;
  const { msg_id: id, result } = pdu.body;
  return { messageId: nameMessageId(id), result };
}
