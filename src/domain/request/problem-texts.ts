// Why a request is refused, by a key that programs translate by. Keys and the names of their parameters are released with the
// API: they are added, never renamed. The sentences may change.

export const PROBLEM_TEXTS = {
  invalid_request: 'The request is invalid.',

  stage_cannot_prepare: 'A {stage} task cannot be prepared.',
  not_prepared: 'The task must be prepared before its price can be frozen.',
  stage_cannot_freeze: 'A {stage} task has nothing to freeze.',
  stage_cannot_submit: 'A {stage} task cannot be submitted.',
  not_frozen: 'The price of the task must be frozen before it is submitted.',
  stage_cannot_cancel: 'A {stage} task cannot be cancelled any more.',
  stage_cannot_pause: 'A {stage} task has nothing left to hand over.',
  already_ending: 'What is left of the task is under way already.',
  not_paused: 'The task is not paused.',
  stage_cannot_reschedule: 'A {stage} task is not sent again.',
  already_begun: 'The first part of the task is handed over already.',
  nothing_unknown: 'The task has no unknown number.',
  balance_too_low: 'The available balance does not cover the price of the task.',
  price_above_daily_limit:
    'The price of the task is {price} and the daily limit {limit}: no day has room for it until the operator raises the limit.',
  daily_limit_reached:
    'Today {used} of the daily limit of {limit} are frozen, which leaves no room for the price of {price}. There is room from {from} on, or with a higher limit.',

  template_not_active: 'template_no does not name an active template of yours. GET /openapi/v1/templates/ lists them.',
  template_just_disabled: 'template_no has just been disabled.',
  service_account_not_active:
    'service_account_no is not an active service account of yours. GET /openapi/v1/service-accounts/ lists them.',
  default_service_account_not_active:
    "The template's service account is not an active service account of yours. GET /openapi/v1/service-accounts/ lists them.",
  firm_not_usable:
    'The target firm {firm} cannot be used with this template. GET /openapi/v1/firms/ lists those you can use, GET /openapi/v1/templates/ the firms of the template.',
  different_payload: 'This client_request_id belongs to a task with a different payload.',
  too_many_tasks_waiting:
    'With this task more tasks would wait to be sent than the {max} that you may have waiting. Send again when some have gone out, or cancel tasks that are not needed.',
  too_many_numbers_waiting:
    'With this task more numbers would wait to be sent than the {max} that you may have waiting. Send again when some have gone out, or cancel tasks that are not needed.',
  too_many_bytes_waiting:
    'With this task more bytes would wait to be sent than the {max} that you may have waiting. Send again when some have gone out, or cancel tasks that are not needed.',

  service_account_missing: 'The customer has no such service account.',
  grant_exists: 'The customer may use this channel already.',
  price_exists:
    'The customer has a price at {firm}. Change it with PATCH prices/{firm}, or say with valid_from when the new one begins.',
  rate_exists: 'There is a row for {firm} that applies from this moment on.',
  cost_exists: 'The channel has a cost at {firm}. Say with valid_from when the new one begins.',
  firm_exists: 'There is a firm {firm} already.',
  firms_missing: 'There is no firm {firms}.',
  many_firms_missing: 'There is no firm {firms} and others.',
  cap_exemption_exists: 'The number is exempt already.',
  opt_out_exists: 'The number has opted out already.',
  operator_name_taken: 'An operator has this name, or had it: the audit log would mix them up.',

  view_ended: 'The view has ended, or the token is not valid.',
  view_reads_only: 'A view reads; it can change nothing.',
  scope_needed: 'This takes a credential with the scope {scope}; this one has {scopes}.',
  role_needed: 'This takes the role {roles}; the token has the role {role}.',
  request_rate: 'The limit is {max} requests per second.',
  clock_differs: 'X-Timestamp may differ from the server clock by 300 seconds.',
  signature_wrong: 'The API key is not valid or the signature is wrong.',
  suspended: 'Ask the operator about it.',
  address_not_allowed: 'The credential has an allow list that this address is not on.',
  header_malformed: 'The header {name} must be {expected}.',
  token_missing: 'Send the operator token as Authorization: Bearer <token>.',
  token_wrong: 'The operator token is not valid.',
  too_many_wrong_tokens: 'Too many wrong tokens came from this address. Wait {seconds} seconds.',
  sign_in_elsewhere: 'Sign-in links work only on the machine that runs the service.',
  sign_in_link_used: 'This sign-in link was used already, is too old, or is of an earlier start.',
  not_found: 'There is no such path, or nothing there that these credentials can see.',

  exports_open: '{count} of your exports are open. Wait until one has ended.',
  calls_open: '{max} calls to your servers at a time. Wait until one ends.',
  large_requests_waiting: 'At most {max} large requests are worked on at a time.',
  requests_waiting: '{max} of your requests wait already.',
  replay_running: 'A replay of this webhook is under way. Wait until it ends.',
  stopping: 'The service is stopping. Try again.',
  caller_left: 'The caller has left.',
  too_many_callbacks: 'Too many callbacks at once. Send it again.',
  too_many_callbacks_waiting: 'Too many callbacks wait. Send it again.',
  too_many_exports: 'Too many exports at once. Try again.',
  too_many_requests: 'Too many requests at once. Try again.',
  too_many_large_requests: 'Too many large requests at once. Try again.',
  sums_not_ready: 'The sums over your history are still being made. Try again.',
  platform_sums_not_ready: 'The sums over the history are still being made. Try again.',
  database_away: 'The database cannot be reached for the moment. Try again.',
  request_failed: 'The request could not be handled. Try again.',
  outcome_unknown:
    'It is not known whether the request was carried out. Read what it was about before you make it again.',
  send_outcome_unknown:
    'It is not known whether the request was carried out. Without a client_request_id, only the very same signed request, repeated within 300 seconds of its timestamp, is certain to create no second task.',
  named_send_outcome_unknown:
    'It is not known whether the request was carried out. Ask for GET /openapi/v1/messages/tasks/?client_request_id={id}, or repeat the request under the same client_request_id: it creates no second task.',
  not_ready: 'Not ready: {missing}.',

  not_http: 'The request is not valid HTTP.',
  not_http_here: 'The request is not valid HTTP for this operation.',
  headers_too_large: 'The headers are too large.',
  request_too_slow: 'The request did not arrive in time.',
  http_version: 'The request must be HTTP/1.1 or HTTP/1.0.',
  several_hosts: 'The request has more than one Host header.',
  no_host: 'The request has no Host header.',
  method_not_allowed: 'Allowed here: {methods}.',
  media_type_not_offered: 'Answers are {types}, and problems application/problem+json.',
  body_too_large: 'The body may have at most {max} bytes.',
  body_media_type: 'Send the body as application/json.',
  body_charset: 'Send the body in UTF-8.',
  body_encoded: 'Send the body without a content encoding.',
  body_empty: 'The body is empty.',
  body_byte_order_mark: 'The body starts with a byte order mark.',
  body_key_twice: 'An object has the same key twice.',
  body_not_utf8: 'The body is not UTF-8.',
  body_not_json: 'The body is not JSON.',
  body_list_open: 'The body is not JSON: it ends within a list.',
  body_not_json_from: 'The body is not JSON from position {position}.',
  body_too_deep: 'The body is nested more than {max} levels deep.',
  page_too_deep: 'Pages reach {max} items deep. Follow next_cursor to go further, or narrow the filters.',
} as const;
