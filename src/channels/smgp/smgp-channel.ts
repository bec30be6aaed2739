// An SMGP channel: the shared session machinery with the PDUs of SMGP.
import type { Channel } from '../channel.js';
import { createAnswerReader, nameMessageId } from '../china/answers.js';
import { type GatewayTiming, openGatewayChannel } from '../china/gateway-channel.js';
import { classifyResult } from '../china/result-class.js';
import type { DriverDeps } from '../driver.js';
import type { SmgpConfig } from './config.js';
import { readDelivered } from './delivered.js';
import type { Body } from './pdu.js';
import { createSmgpProtocol, type SmgpPdu } from './protocol.js';
import { nameStatus, RESULTS } from './results.js';
import { createSubmissionBuilder } from './submission.js';

export function openSmgpChannel(config: SmgpConfig, deps: DriverDeps, timing: Partial<GatewayTiming> = {}): Channel {
  return openGatewayChannel<SmgpPdu, Body<'submit'>>(
    config,
    deps,
    {
      name: 'SMGP',
      createProtocol: () => createSmgpProtocol(config, deps),
      buildSubmission: createSubmissionBuilder(config),
      readOutcome: createAnswerReader(RESULTS, deps.log, readAnswer),
      findSessionFault,
      readDelivered,
    },
    timing,
  );
}

function readAnswer(pdu: SmgpPdu) {
  if (pdu.command !== 'submit_resp') return undefined;
  const { msg_id: id, status } = pdu.body;
  return { messageId: nameMessageId(id), result: status };
}

/** A gateway that has forgotten the login takes nothing more on this session. */
function findSessionFault(pdu: SmgpPdu): string | undefined {
  if (pdu.command !== 'submit_resp' || classifyResult(RESULTS, pdu.body.status) !== 'session') return undefined;
  return `the gateway does not know the session: ${nameStatus(pdu.body.status)}`;
}
