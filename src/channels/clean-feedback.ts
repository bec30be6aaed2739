// Cleans what an upstream or a handset wrote before the pipeline sees it. PostgreSQL refuses some characters, and an upstream
// sends again whatever is not acknowledged: such feedback would come back for ever. Answers and reports are cleaned alike,
// so that ids which were equal stay equal.
import { cleanText, cleanWord } from '../domain/text.js';
import type { Feedback, Report, SubmitOutcome, UplinkMessage } from './channel.js';

/** What SMPP allows a message id; no upstream is known to need more. */
const MAX_MESSAGE_ID_LENGTH = 64;
const MAX_CODE_LENGTH = 64;
const MAX_ADDRESS_LENGTH = 64;
/** What 255 segments of the default alphabet can say, and some more. */
const MAX_UPLINK_LENGTH = 40_000;

function cleanMessageId(messageId: string): string {
  return cleanWord(messageId, MAX_MESSAGE_ID_LENGTH);
}

function cleanCode(code: string): string {
  return cleanWord(code, MAX_CODE_LENGTH) || 'UNKNOWN';
}

export function cleanOutcome(outcome: SubmitOutcome): SubmitOutcome {
  switch (outcome.kind) {
    case 'accepted': {
      const messageId = cleanMessageId(outcome.messageId);
      return messageId === outcome.messageId ? outcome : { ...outcome, messageId };
    }
    case 'unsent':
      return outcome;
    default: {
      const code = cleanCode(outcome.code);
      return code === outcome.code ? outcome : { ...outcome, code };
    }
  }
}

export function cleanFeedback(feedback: Feedback): Feedback {
  return feedback.kind === 'report' ? cleanReport(feedback) : cleanUplink(feedback);
}

function cleanReport(report: Report): Report {
  const messageId = cleanMessageId(report.messageId);
  const code = cleanCode(report.code);
  const phone = report.phone === undefined ? undefined : cleanWord(report.phone, MAX_ADDRESS_LENGTH);
  // Nearly all are clean, and a busy channel has thousands a second: they are handed on without a copy.
  if (messageId === report.messageId && code === report.code && phone === report.phone) return report;
  return { ...report, messageId, code, ...(phone !== undefined && { phone }) };
}

function cleanUplink(uplink: UplinkMessage): UplinkMessage {
  const text = cleanText(uplink.text, MAX_UPLINK_LENGTH);
  const isCut = uplink.text.length > MAX_UPLINK_LENGTH;
  return {
    ...uplink,
    from: cleanWord(uplink.from, MAX_ADDRESS_LENGTH),
    to: cleanWord(uplink.to, MAX_ADDRESS_LENGTH),
    text,
    ...(isCut && { incomplete: true }),
  };
}
