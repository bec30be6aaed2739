// The Delivers a CMPP message centre sends: reports in the forms that gateways give them, and replies from handsets.
import { randomInt } from 'node:crypto';
import { formatLoginTime, formatReportTime } from '#src/channels/china/beijing-time.js';
import { formatMessageId } from '#src/channels/cmpp/message-id.js';
import type { Body, CmppVersion } from '#src/channels/cmpp/pdu.js';
import { createReport } from '#src/channels/cmpp/report.js';
import type { Fate } from '../fate.js';
import type { CmppOptions } from '../options.js';
import type { Delivery, IdPair, Submitted } from '../protocol.js';

export interface CmppSubmitted extends Submitted {
  readonly sequence: number;
  readonly version: CmppVersion;
  /** The handset as the client spelled it. */
  readonly handset: string;
  readonly serviceId: string;
}

export interface CmppDelivery extends Delivery {
  readonly body: Body<'deliver'>;
}

/** No gateway gives an id out twice: the number of this one is drawn when it starts. */
export function createIdMaker(): () => string {
  const gateway = randomInt(0x400000);
  let sequence = 0;
  let second = -1;
  let prefix = '';
  return () => {
    const now = Math.floor(Date.now() / 1_000);
    if (now !== second) {
      second = now;
      prefix = formatMessageId(formatLoginTime(now * 1_000), gateway, 0).slice(0, -4);
    }
    sequence = (sequence + 1) & 0xffff;
    return prefix + sequence.toString(16).padStart(4, '0');
  };
}

/** The other forms that gateways send: the length of the other version, and a number that is cut short. */
const FORMS: readonly ((version: CmppVersion, report: Parameters<typeof createReport>[1]) => Buffer)[] = [
  createReport,
  (_, report) => createReport('2.0', report),
  (_, report) => createReport('3.0', report),
  (version, report) => createReport(version, report).subarray(0, 49),
  (version, report) => createReport(version, { ...report, dest_terminal_id: `+${report.dest_terminal_id}` }),
];

export function buildReceipt(
  submitted: CmppSubmitted,
  account: string,
  { ids, outerId, state }: { ids: IdPair; outerId: string; state: Fate['state'] },
  { style, random }: { style: CmppOptions['receipts']; random: () => number },
): CmppDelivery {
  const time = formatReportTime(Date.now());
  const form = style === 'mixed' ? FORMS[Math.floor(random() * FORMS.length)] : undefined;
  const report = {
    msg_id: ids.receipt,
    stat: state,
    submit_time: time,
    done_time: time,
    dest_terminal_id: submitted.handset,
    smsc_sequence: 0,
  };
  const content = (form ?? createReport)(submitted.version, report);
  return { kind: 'receipt', account, body: { ...turnAround(submitted, outerId, content), registered_delivery: 1 } };
}

export function buildReply(submitted: CmppSubmitted, account: string, outerId: string, text: string): CmppDelivery {
  return { kind: 'uplink', account, body: turnAround(submitted, outerId, Buffer.from(text, 'latin1')) };
}

function turnAround(submitted: CmppSubmitted, outerId: string, content: Buffer): Body<'deliver'> {
  return {
    msg_id: outerId,
    dest_id: submitted.from,
    service_id: submitted.serviceId,
    tp_pid: 0,
    tp_udhi: 0,
    msg_fmt: 0,
    src_terminal_id: submitted.handset,
    src_terminal_type: 0,
    registered_delivery: 0,
    msg_content: content,
    reserve: '',
    link_id: '',
  };
}
