// Validates the send request alone, without other data. A malformed request is rejected as a whole; an invalid phone is accepted here
// and gets a rejected receipt later.
//
// Written by hand rather than compiled from the schema: it reports every fault in words, normalises on the way, and
// reads 5,000 phones in a fraction of a millisecond.

import {
  addTextFault,
  addTooMany,
  addUnknownFields,
  type Fields,
  findTextFault,
  isFields,
} from '../fault/body-faults.js';
import { errorText } from '../fault/error-text.js';
import { addFault, type Fault, isFull } from '../fault/fault.js';
import type { Variables } from '../message/template.js';
import { MAX_PHONE_LENGTH } from '../phone/phone.js';
import { parseRfc3339Ms } from '../rfc3339.js';
import { ENTRIES_A_STEP, finishSteps, type Steps } from '../steps.js';
import { hasControlCharacter } from '../text.js';
import { NO_VARIABLES, readVariables } from './variables.js';

export const MAX_RECIPIENTS = 5000;
export const MAX_CLIENT_REQUEST_ID_CHARACTERS = 64;
export const MAX_BATCH_ID_CHARACTERS = 64;
export const MAX_TITLE_CHARACTERS = 100;

/** Template and service account numbers and firm names: longer than any that exists. */
export const MAX_NO_CHARACTERS = 64;
export const MAX_TARGET_FIRMS = 100;

/** A normalised request: defaults applied, both forms of variables unified, numbers in their order. */
export interface SendRequest {
  readonly templateNo: string;
  /** As the customer wrote them, in both modes. */
  readonly phones: readonly string[];
  /** In per-number mode the variables of each phone, at the same position; otherwise undefined. */
  readonly recipientVariables: readonly Variables[] | undefined;
  /** The variables of every phone; empty in per-number mode. */
  readonly variables: Variables;
  readonly serviceAccountNo: string | undefined;
  /** Without repeats; empty when the customer leaves it open. */
  readonly targetFirms: readonly string[];
  readonly clientRequestId: string | undefined;
  readonly batchId: string | undefined;
  /** A label for people: a repeat may have another one. */
  readonly title?: string | undefined;
  readonly autoPrepare: boolean;
  readonly autoFreeze: boolean;
  readonly autoSubmit: boolean;
  /** Nothing is sent before this. */
  readonly sendAt?: Date | undefined;
  /** Unsent numbers are not sent after this. */
  readonly expiresAt?: Date | undefined;
}

export type SendRequestCheck =
  | { readonly ok: true; readonly request: SendRequest }
  | {
      readonly ok: false;
      readonly faults: readonly Fault[];
      /** The fields that could be read, if the body is an object: only to find further faults. */
      readonly partial?: SendRequest;
    };

const FIELDS: ReadonlySet<string> = new Set([
  'template_no',
  'phones',
  'recipients',
  'service_account_no',
  'target_firms',
  'variable_values',
  'client_request_id',
  'batch_id',
  'title',
  'auto_prepare',
  'auto_freeze',
  'auto_submit',
  'send_at',
  'expires_at',
]);
const RECIPIENT_FIELDS: ReadonlySet<string> = new Set(['phone', 'variable_values']);

/** Takes what JSON.parse returned. Finds all faults at once, at most 20, and never throws. */
export function checkSendRequest(body: unknown): SendRequestCheck {
  return finishSteps(checkSendRequestInSteps(body));
}

/** 5,000 recipients with all their variables take tens of milliseconds. */
export function* checkSendRequestInSteps(body: unknown): Steps<SendRequestCheck> {
  const faults: Fault[] = [];
  if (!isFields(body)) {
    addFault(faults, '', 'type', errorText('body_not_object'));
    return { ok: false, faults };
  }
  addUnknownFields(faults, '', body, FIELDS);
  const templateNo = readNo(body.template_no, '/template_no', faults);
  if (body.template_no === undefined) addFault(faults, '/template_no', 'required', errorText('required'));
  const recipients = yield* readWho(body, faults);
  const variables =
    body.variable_values === undefined ? NO_VARIABLES : readVariables(body.variable_values, '/variable_values', faults);
  const request: SendRequest = {
    templateNo: templateNo ?? '',
    ...recipients,
    variables,
    serviceAccountNo: readNo(body.service_account_no, '/service_account_no', faults),
    targetFirms: readTargetFirms(body.target_firms, faults),
    clientRequestId: readOwnId(body.client_request_id, '/client_request_id', MAX_CLIENT_REQUEST_ID_CHARACTERS, faults),
    batchId: readOwnId(body.batch_id, '/batch_id', MAX_BATCH_ID_CHARACTERS, faults),
    title: readOwnId(body.title, '/title', MAX_TITLE_CHARACTERS, faults),
    ...readAutomation(body, faults),
    sendAt: readTime(body.send_at, '/send_at', faults),
    expiresAt: readTime(body.expires_at, '/expires_at', faults),
  };
  return faults.length === 0 ? { ok: true, request } : { ok: false, faults, partial: request };
}

type Who = Pick<SendRequest, 'phones' | 'recipientVariables'>;

function* readWho(body: Fields, faults: Fault[]): Steps<Who> {
  const { phones, recipients } = body;
  if ((phones === undefined) === (recipients === undefined)) {
    const text = errorText(phones === undefined ? 'no_recipients' : 'recipients_and_phones');
    addFault(faults, '', 'exactly_one_of', text);
  }
  if (recipients !== undefined && body.variable_values !== undefined) {
    const message = errorText('variables_and_recipients');
    addFault(faults, '/variable_values', 'not_allowed_together', message);
  }
  const fromPhones = phones === undefined ? undefined : readPhones(phones, faults);
  const fromRecipients = recipients === undefined ? undefined : yield* readRecipients(recipients, faults);
  return fromRecipients ?? { phones: fromPhones ?? [], recipientVariables: undefined };
}

/** The entries, if it is an array of an allowed length. */
function readEntries(value: unknown, pointer: string, faults: Fault[]): readonly unknown[] {
  if (!Array.isArray(value)) {
    addFault(faults, pointer, 'type', errorText('not_array'));
    return [];
  }
  if (value.length === 0) addFault(faults, pointer, 'too_few', errorText('no_entries'));
  if (value.length <= MAX_RECIPIENTS) return value;
  addTooMany(faults, pointer, value.length, MAX_RECIPIENTS);
  return [];
}

function readPhones(value: unknown, faults: Fault[]): string[] {
  const phones: string[] = [];
  for (const [at, entry] of readEntries(value, '/phones', faults).entries()) {
    if (isFull(faults)) break;
    if (isPhoneText(entry)) phones.push(entry);
    else addPhoneFault(entry, `/phones/${at}`, faults);
  }
  return phones;
}

function* readRecipients(value: unknown, faults: Fault[]): Steps<Who> {
  const phones: string[] = [];
  const recipientVariables: Variables[] = [];
  for (const [at, entry] of readEntries(value, '/recipients', faults).entries()) {
    if (isFull(faults)) break;
    if (at % ENTRIES_A_STEP === 0) yield;
    const pointer = `/recipients/${at}`;
    if (!isFields(entry)) {
      addFault(faults, pointer, 'type', errorText('not_recipient'));
      // Keeps the positions of the others: a pointer to what they lack names them.
      recipientVariables.push(NO_VARIABLES);
      continue;
    }
    addUnknownFields(faults, pointer, entry, RECIPIENT_FIELDS);
    if (isPhoneText(entry.phone)) phones.push(entry.phone);
    else addPhoneFault(entry.phone, `${pointer}/phone`, faults);
    const values = entry.variable_values;
    recipientVariables.push(
      values === undefined ? NO_VARIABLES : readVariables(values, `${pointer}/variable_values`, faults),
    );
  }
  return { phones, recipientVariables };
}

function isPhoneText(value: unknown): value is string {
  return typeof value === 'string' && findTextFault(value, MAX_PHONE_LENGTH) === undefined;
}

function addPhoneFault(value: unknown, pointer: string, faults: Fault[]): void {
  if (value === undefined) addFault(faults, pointer, 'required', errorText('required'));
  else if (typeof value !== 'string') addFault(faults, pointer, 'type', errorText('not_string'));
  else addTextFault(faults, pointer, value, MAX_PHONE_LENGTH);
}

/** An optional string of 1 to so many characters. */
function readName(value: unknown, pointer: string, maxCharacters: number, faults: Fault[]): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') {
    addFault(faults, pointer, 'type', errorText('not_string'));
    return undefined;
  }
  if (value === '') addFault(faults, pointer, 'too_short', errorText('empty'));
  addTextFault(faults, pointer, value, maxCharacters);
  return value;
}

/** A name of ours, as the customer knows it. */
function readNo(value: unknown, pointer: string, faults: Fault[]): string | undefined {
  return readName(value, pointer, MAX_NO_CHARACTERS, faults);
}

function readTargetFirms(value: unknown, faults: Fault[]): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    addFault(faults, '/target_firms', 'type', errorText('not_array_of_strings'));
    return [];
  }
  if (value.length > MAX_TARGET_FIRMS) {
    addTooMany(faults, '/target_firms', value.length, MAX_TARGET_FIRMS);
    return [];
  }
  const firms = new Set<string>();
  for (const [at, entry] of value.entries()) {
    const pointer = `/target_firms/${at}`;
    // JSON has no holes, but a caller's array may; a hole is no string either.
    const firm = readNo(entry ?? null, pointer, faults);
    if (firm !== undefined) firms.add(firm);
  }
  return [...firms];
}

/** A name of the customer's choosing. */
function readOwnId(value: unknown, pointer: string, maxCharacters: number, faults: Fault[]): string | undefined {
  const id = readName(value, pointer, maxCharacters, faults);
  if (id !== undefined && findTextFault(id, maxCharacters) === undefined && hasControlCharacter(id)) {
    addFault(faults, pointer, 'format', errorText('control_characters'));
  }
  return id;
}

function readAutomation(body: Fields, faults: Fault[]): Pick<SendRequest, 'autoPrepare' | 'autoFreeze' | 'autoSubmit'> {
  const autoPrepare = readFlag(body.auto_prepare, true, '/auto_prepare', faults);
  const autoFreeze = readFlag(body.auto_freeze, false, '/auto_freeze', faults);
  const autoSubmit = readFlag(body.auto_submit, false, '/auto_submit', faults);
  // A flag of the wrong type is one fault, not two: nothing can be said about what depends on it.
  if (autoFreeze === true && autoPrepare === false) {
    addFault(faults, '/auto_freeze', 'requires', errorText('flag_requires', { field: 'auto_prepare' }));
  }
  if (autoSubmit === true && autoFreeze === false) {
    addFault(faults, '/auto_submit', 'requires', errorText('flag_requires', { field: 'auto_freeze' }));
  }
  return { autoPrepare: autoPrepare ?? true, autoFreeze: autoFreeze ?? false, autoSubmit: autoSubmit ?? false };
}

function readTime(value: unknown, pointer: string, faults: Fault[]): Date | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'string') {
    addFault(faults, pointer, 'type', errorText('not_string'));
    return undefined;
  }
  const ms = parseRfc3339Ms(value);
  if (ms !== undefined) return new Date(ms);
  addFault(faults, pointer, 'format', errorText('not_time'));
  return undefined;
}

function readFlag(value: unknown, fallback: boolean, pointer: string, faults: Fault[]): boolean | undefined {
  if (value === undefined) return fallback;
  if (typeof value === 'boolean') return value;
  addFault(faults, pointer, 'type', errorText('not_boolean'));
  return undefined;
}
