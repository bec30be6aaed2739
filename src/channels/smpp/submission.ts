// Builds the submit_sm of a part, and reads the outcome from the answer.
import type { Part, SubmitOutcome } from '../channel.js';
import { createReferenceAllocator } from '../session/concatenation.js';
import { deriveDestination, deriveSource } from './address.js';
import type { SmppConfig } from './config.js';
import { encodePart } from './long-message.js';
import { nameStatus, STATUS, type StatusName } from './pdu.js';
import type { AnyPdu, SmppSubmission } from './protocol.js';

export type Submission =
  | (SmppSubmission & { readonly fault?: undefined })
  /** The status that a carrier would answer, for a part that cannot be encoded. */
  | { readonly fault: StatusName };

export type SubmissionBuilder = (part: Part, submitted: readonly Part[]) => Submission;

export function createSubmissionBuilder(config: SmppConfig, now: () => number): SubmissionBuilder {
  const references = createReferenceAllocator();
  const formatValidity = createValidityFormatter(config, now);

  return (part, submitted) => {
    const source = deriveSource(part.from, config);
    if (source === undefined) return { fault: 'ESME_RINVSRCADR' };
    const destination = deriveDestination(part.to, config);
    if (destination === undefined) return { fault: 'ESME_RINVDSTADR' };
    const encoded = encodePart(part, submitted, config, references);
    if (encoded === undefined) return { fault: 'ESME_RINVMSGLEN' };
    return {
      body: {
        service_type: config.service_type,
        source_addr_ton: source.ton,
        source_addr_npi: source.npi,
        source_addr: source.address,
        dest_addr_ton: destination.ton,
        dest_addr_npi: destination.npi,
        destination_addr: destination.address,
        esm_class: encoded.esmClass,
        protocol_id: config.protocol_id,
        priority_flag: config.priority_flag,
        schedule_delivery_time: '',
        validity_period: formatValidity(part.validUntil),
        registered_delivery: config.registered_delivery,
        replace_if_present_flag: 0,
        data_coding: encoded.dataCoding,
        sm_default_msg_id: 0,
        short_message: encoded.shortMessage,
      },
      tlvs: encoded.tlvs,
    };
  };
}

/** A longer validity is sent as no limit. */
const MAX_VALIDITY_S = 360 * 86_400;

/** The shorter of the configured validity and that of the message. */
function createValidityFormatter(
  { validity_period_s: longest, expiry }: SmppConfig,
  now: () => number,
): (validUntil: Date | undefined) => string {
  const configured = longest === undefined ? '' : formatRelativeTime(longest);
  return (validUntil) => {
    if (validUntil === undefined) return configured;
    // A message that expires within this second is still sent, valid for one second.
    const seconds = Math.max(1, Math.floor((validUntil.getTime() - now()) / 1_000));
    if (seconds >= (longest ?? MAX_VALIDITY_S)) return configured;
    return expiry === 'relative' ? formatRelativeTime(seconds) : formatAbsoluteTime(now() + seconds * 1_000);
  };
}

/** YYMMDDhhmmss000+: tenths of a second and quarters of an hour from UTC are zero. */
function formatAbsoluteTime(atMs: number): string {
  return `${new Date(atMs).toISOString().replace(/\D/g, '').slice(2, 14)}000+`;
}

/** YYMMDDhhmmss000R: relative to now. */
function formatRelativeTime(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const days = Math.floor(seconds / 86_400);
  const months = Math.floor(days / 30);
  const rest = seconds % 86_400;
  const time = `${two(Math.floor(rest / 3_600))}${two(Math.floor(rest / 60) % 60)}${two(rest % 60)}`;
  // Message centres count thirty days as a month.
  return `${two(Math.floor(months / 12))}${two(months % 12)}${two(days % 30)}${time}000R`;
}

export function readOutcome(part: Part, answer: AnyPdu, throttleCodes: ReadonlySet<number>): SubmitOutcome {
  const { status } = answer;
  if (status === STATUS.ESME_ROK && answer.command === 'submit_sm_resp') {
    return { part, kind: 'accepted', messageId: answer.body.message_id };
  }
  const code = nameStatus(status);
  // ESME_RINVBNDSTS is about the session, not about the part.
  const isThrottled = throttleCodes.has(status) || status === STATUS.ESME_RINVBNDSTS;
  return { part, kind: isThrottled ? 'throttled' : 'refused', code };
}
