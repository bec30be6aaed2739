export { PostriderClient, type PostriderClientOptions, type SessionOptions, type ViewerOptions } from './client.js';
export { type CutRequest, cutRequests, type SendAllNumber, type SendAllRequest } from './cut-requests.js';
export { type CutRows, type FileType, makeRowCutter, type RowCutter, readCursor } from './cut-rows.js';
export type { ErrorKey } from './error-keys.generated.js';
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
export { MESSAGE_CLASSES, type MessageClass } from './message-classes.js';
export { type NumberEvent, orderEvents } from './number-events.js';
export { type NumberFile, type NumberFileEncoding, readNumberFile } from './number-file.js';
export { NumberFileError, type NumberFileProblem } from './number-file-error.js';
export { OperatorClient, type OperatorClientOptions } from './operator-client.js';
export type * from './operator-wire.generated.js';
export {
  OUTCOME_LOOKS,
  OUTCOMES,
  type Outcome,
  type OutcomeColors,
  type OutcomeLook,
  outcomeOf,
} from './outcomes.js';
export type { Clock, RetryPolicy } from './retry.js';
export type { SentTask } from './send.js';
export type { SendAllOptions, SendAllProgress, SendAllSummary } from './send-all.js';
export { type SignedContent, signRequest } from './signing.js';
export { STAGES, type Stage } from './stages.js';
export type { Call, CallOptions, QueryValue, TransportOptions } from './transport.js';
export {
  type LowBalance,
  type ReviewedTemplate,
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
export type * from './wire.generated.js';
export type * from './wire.js';
export type * from './wire-values.js';
