// The detail that each problem shows in the API reference.

import { type ErrorText, errorText } from '../../domain/fault/error-text.js';
import type { ProblemCode } from './problem.js';

export const EXAMPLE_DETAILS: Readonly<Record<ProblemCode, ErrorText>> = {
  malformed_json: errorText('body_not_json_from', { position: 17 }),
  invalid_request: errorText('invalid_request'),
  page_too_deep: errorText('page_too_deep', { max: 10_000 }),
  missing_credentials: errorText('token_missing'),
  timestamp_out_of_range: errorText('clock_differs'),
  invalid_signature: errorText('signature_wrong'),
  invalid_credentials: errorText('sign_in_wrong'),
  customer_suspended: errorText('suspended'),
  ip_not_allowed: errorText('address_not_allowed'),
  not_permitted: errorText('scope_needed', { scope: 'send', scopes: 'read' }),
  not_found: errorText('not_found'),
  method_not_allowed: errorText('method_not_allowed', { methods: 'GET, HEAD, OPTIONS' }),
  not_acceptable: errorText('media_type_not_offered', { types: 'application/json' }),
  idempotency_conflict: errorText('different_payload'),
  invalid_stage: errorText('stage_cannot_cancel', { stage: 'completed' }),
  insufficient_funds: errorText('balance_too_low'),
  already_exists: errorText('firm_exists', { firm: 'acme' }),
  last_admin: errorText('last_admin'),
  payload_too_large: errorText('body_too_large', { max: 16_777_216 }),
  unsupported_media_type: errorText('body_media_type'),
  template_unavailable: errorText('template_not_active'),
  service_account_unavailable: errorText('service_account_not_active'),
  firm_unavailable: errorText('firms_missing', { firms: 'acme' }),
  rate_limited: errorText('request_rate', { max: 100 }),
  unavailable: errorText('database_away'),
};
