export { PostriderClient, type PostriderClientOptions, type SessionOptions, type ViewerOptions } from './client.js';
export { type CutRows, createRowCutter, type FileType, type RowCutter, readCursor } from './cut-rows.js';
export {
  type ConnectionFailure,
  PostriderConnectionError,
  PostriderError,
  type ProblemCode,
  type ProblemKey,
} from './errors.js';
export type * from './list-filters.generated.js';
export type { ListOptions, OperatorListOptions, OwnListOptions, TimeOptions } from './list-options.js';
export type { FileListing, Listing, PagePosition } from './listing.js';
export type { CsvOptions, FileOptions, ListingFile } from './listing-file.js';
export { type NumberEvent, orderEvents } from './number-events.js';
export { type NumberFile, type NumberFileEncoding, readNumberFile } from './number-file/number-file.js';
export { NumberFileError, type NumberFileProblem } from './number-file/number-file-error.js';
export { OperatorClient, type OperatorClientOptions } from './operator-client.js';
export {
  OUTCOME_LOOKS,
  OUTCOMES,
  type Outcome,
  type OutcomeColors,
  type OutcomeLook,
  outcomeOf,
} from './outcomes.js';
export type { Clock, RetryPolicy } from './retry.js';
export { type CutRequest, cutRequests, type SendAllNumber, type SendAllRequest } from './send/cut-requests.js';
export type { SentTask } from './send/send.js';
export type { SendAllOptions, SendAllProgress, SendAllSummary } from './send/send-all.js';
export { type SignedContent, signRequest } from './signing.js';
export type { Call, CallOptions, QueryValue, TransportOptions } from './transport.js';
export {
  verifyWebhook,
  type WebhookDelivery,
  type WebhookMessage,
  WebhookVerificationError,
} from './verify-webhook.js';
export {
  type CallerWait,
  isFinished,
  type WaitedTask,
  type WaitOptions,
  WaitTimeoutError,
} from './wait-for-task.js';
export type { ErrorKey } from './wire/error-keys.generated.js';
export { MESSAGE_CLASSES, type MessageClass } from './wire/message-classes.js';
export type * from './wire/operator-wire.generated.js';
export { STAGES, type Stage } from './wire/stages.js';
export type * from './wire/wire.generated.js';
export type * from './wire/wire.js';
export type * from './wire/wire-values.js';
