// Faults that the service had once at its edges (the API, sign-in, masking, channels) and beside the way of a number, in the form of
// `returned-faults.ts`.

import type { ReturnedFault } from './returned-faults.js';

function fault(name: string, file: string, find: string, replace: string, test: string): ReturnedFault {
  return { name, changes: [{ file, find, replace }], test };
}

const SIGN_IN = 'test/http/auth';

export const RETURNED_EDGE_FAULTS: readonly ReturnedFault[] = [
  // Beside the way of a number.
  fault(
    'lost-commits-leave-the-queue',
    'pipeline/settle/settle.ts',
    'task.paused === true && settlement',
    'settlement',
    'test/pipeline/channel/ownership/interrupted.test.ts',
  ),
  fault(
    'inbound-messages-wait-for-all',
    'pipeline/channel/reports/uplinks.ts',
    'deps.recorder.flush(bucket, customerIds)',
    'deps.recorder.flush(bucket)',
    'test/pipeline/settle/locked-customer.test.ts',
  ),
  fault(
    'reports-wait-for-all',
    'pipeline/channel/reports/stored-parts.ts',
    'recorder.flush(bucket, customerIds)',
    'recorder.flush(customerIds.size < 0 ? -1 : bucket)',
    'test/pipeline/settle/locked-customer.test.ts',
  ),
  fault(
    'moves-in-one-transaction',
    'pipeline/settle/entry.ts',
    'cutInto(ofCustomer, MAX_EVENTS)',
    'cutInto(ofCustomer, MAX_EVENTS + ofCustomer.length)',
    'test/pipeline/maintenance/leave-channels.test.ts',
  ),
  fault(
    'old-commit-marks-kept',
    'store/recovery/commit-mark.ts',
    'and marked_at < now() -',
    'and marked_at > now() -',
    'test/store/recovery/commit-mark.test.ts',
  ),
  fault(
    'commit-marks-never-deleted',
    'pipeline/maintenance/upkeep-loops.ts',
    'step: (bucket) => deleteOldCommitMarks(bucketSql(sql, bucket), bucket, KEPT_FOR_MS),',
    'step: (bucket) => deleteOldCommitMarks(bucketSql(sql, bucket), bucket, 99 * KEPT_FOR_MS),',
    'test/store/recovery/commit-mark.test.ts',
  ),
  fault(
    'unsent-timeout-stops-while-paused',
    'pipeline/maintenance/stranded.ts',
    'if (await giveUpPaused(deps, bucket, gone)) isMore = true;',
    'if (gone.length < 0 && (await giveUpPaused(deps, bucket, gone))) isMore = true;',
    'test/pipeline/maintenance/stranded.long.test.ts',
  ),

  // What callers are shown.
  fault(
    'numbers-masked-in-two-spellings-only',
    'domain/access/numbers-in-text.ts',
    '()（）.．·/',
    '',
    'test/domain/mask.test.ts',
  ),
  fault(
    'identifiers-masked-like-texts',
    'domain/access/mask.ts',
    'IS_ID.test(field) ? maskIdentifier(text) : maskText(text)',
    'IS_ID.test(field) ? maskText(text) : maskText(text)',
    'test/domain/mask.test.ts',
  ),
  fault(
    'masked-searches-without-end',
    'http/masked-searches.ts',
    'searcher.phones.size >= MAX_NUMBERS',
    'searcher.phones.size >= 100 * MAX_NUMBERS',
    'test/service/masking.test.ts',
  ),
  fault(
    'masked-digits-found-in-titles',
    'http/masking.ts',
    'hidesDigits: isMasked(request)',
    "hidesDigits: isMasked(request) && text === ''",
    'test/service/masking.test.ts',
  ),
  fault(
    'identifiers-searched-without-end',
    'http/route.ts',
    "name === 'phone' || containsNumber(text)",
    "name === 'phone' || (containsNumber(text) && name === 'phone')",
    'test/service/masking.test.ts',
  ),
  fault(
    'text-behind-the-cursor',
    'http/customer/lists.ts',
    'columnsOnRequest?.isAsked(query) === true ? allColumns : columns',
    "[...columns, ...(columnsOnRequest?.isAsked(query) === true ? ['text'] : [])]",
    'test/pipeline/content.test.ts',
  ),
  fault(
    'statistics-of-whole-hours',
    'store/money/traffic.ts',
    'if (rest.length === 0) return [];',
    'if (rest.length >= 0) return [];',
    'test/rules/operator-statistics.test.ts',
  ),
  fault(
    'batches-shrink-in-silence',
    'store/retention/end-history.ts',
    'b.deleted_tasks + k.tasks',
    'b.deleted_tasks + 0 * k.tasks',
    'test/store/retention/end-history.test.ts',
  ),
  fault(
    'refused-sign-ins-kept',
    'store/retention/end-history.ts',
    ", 'session.refuse'] as const",
    '] as const',
    'test/store/retention/end-history.test.ts',
  ),
  fault(
    'caps-begin-anew-after-erasure',
    'sending-rules/caps/cap-use.ts',
    '...(erasedKeyOf === undefined ? []',
    '...(erasedKeyOf !== null ? []',
    'test/store/task/cap-use.test.ts',
  ),
  fault(
    'expired-keys-made',
    'http/resources/credential-answers.ts',
    'return isOver ?',
    'return isOver && nowMs < 0 ?',
    'test/http/customer/credentials.test.ts',
  ),
  fault(
    'expired-keys-listed-as-active',
    'http/resources/credential-answers.ts',
    "&& isOver ? 'expired'",
    "&& isOver && nowMs < 0 ? 'expired'",
    'test/http/customer/credentials.test.ts',
  ),
  fault(
    'keys-beyond-their-maker',
    'http/customer/credentials.ts',
    'if (key === undefined) return terms;',
    'if (key === undefined || key !== null) return terms;',
    'test/http/customer/credentials.test.ts',
  ),
  fault(
    'abbreviated-time-zones',
    'domain/local-time.ts',
    "if (name !== 'UTC' && ",
    "if (name === '' && ",
    'test/domain/rules/send-windows.test.ts',
  ),
  fault(
    'callback-tokens-shown-to-all',
    'http/operator/routing/channels.ts',
    "isPermitted(role, 'configure') ? channel",
    "isPermitted(role, 'view') ? channel",
    'test/pipeline/channel/reports/http-upstream.test.ts',
  ),
  fault(
    'old-callback-tokens-work-for-ever',
    'http/upstream/api.ts',
    '(channel?.oldCallbackTokenUntil?.getTime() ?? 0) > now()',
    '(channel?.oldCallbackTokenUntil?.getTime() ?? 0) > 0 * now()',
    'test/pipeline/channel/reports/http-upstream.test.ts',
  ),
  fault(
    'callbacks-not-audited',
    'http/upstream/api.ts',
    'deps.noteCallback(channel.channelNo, kind, request.ip);',
    '',
    'test/pipeline/channel/reports/http-upstream.test.ts',
  ),

  // Sign-in.
  fault(
    'attempts-counted-when-they-end',
    'http/limits/failure-counts.ts',
    'count.pending += 1;',
    'count.pending += 0;',
    `${SIGN_IN}/sessions.test.ts`,
  ),
  fault(
    'second-factors-not-counted',
    'store/user/second-factor.ts',
    'if (counted.length > 0) return 0;',
    'if (counted.length >= 0) return 0;',
    `${SIGN_IN}/second-factor.test.ts`,
  ),
  fault(
    'junk-locks-out-passkeys',
    'http/auth/passkey/passkey-sign-in.ts',
    'const found = await findPasskey(parts.sql, credentialId);',
    "if (parts.passkeyGuard.waitMs(call.request.ip) > 0) throw tooManyGuesses(1, { name: 'failed passkeys', count: FREE_FAILURES });\n  const found = await findPasskey(parts.sql, credentialId);",
    `${SIGN_IN}/passkeys.test.ts`,
  ),
  fault(
    'invitations-without-limit',
    'store/user/user.ts',
    'return row !== undefined && (',
    'return row === undefined && (',
    `${SIGN_IN}/invitation-mail.test.ts`,
  ),
  fault(
    'mail-without-a-public-address',
    'app/apis.ts',
    'const isMailed = smtpUrl !== undefined && publicOrigin !== undefined;',
    'const isMailed = smtpUrl !== undefined;',
    `${SIGN_IN}/invitation-mail.test.ts`,
  ),
  fault(
    'addresses-in-names-of-people',
    'domain/request/text-forms.ts',
    "'^[^<>:/@\\\\\\\\]*$'",
    "'^.*$'",
    `${SIGN_IN}/invitation-mail.test.ts`,
  ),
  fault(
    'last-admin-replaced-by-an-invitation',
    'store/user/user.ts',
    'user.accepted_at === null}) limit 1',
    'user.accepted_at !== undefined}) limit 1',
    `${SIGN_IN}/users.test.ts`,
  ),
  fault(
    'id-tokens-unchecked',
    'http/auth/oidc-client.ts',
    '[enableNonRepudiationChecks, ...insecure]',
    '[...insecure]',
    `${SIGN_IN}/oidc.test.ts`,
  ),
  fault(
    'emails-folded-beyond-ascii',
    'http/auth/oidc-user.ts',
    '/^[\\x21-\\x7e]+$/.test(email)',
    '/^./.test(email)',
    `${SIGN_IN}/oidc.test.ts`,
  ),
  fault(
    'sessions-outlive-their-role',
    'http/auth/oidc-user.ts',
    'if (linked !== undefined) await endOidcSessions(sql, linked.user_id);',
    'if (linked === undefined) await endOidcSessions(sql, 0n);',
    `${SIGN_IN}/oidc.test.ts`,
  ),
  fault(
    'passwords-outlive-a-link',
    'store/user/oidc.ts',
    'coalesce(accepted_at, created_at), password_hash = null,',
    'coalesce(accepted_at, created_at),',
    `${SIGN_IN}/oidc.test.ts`,
  ),

  // What callers may cost others.
  fault(
    'metrics-made-for-each-caller',
    'http/health.ts',
    'const METRICS_KEPT_MS = 1_000;',
    'const METRICS_KEPT_MS = -1;',
    'test/http/server.test.ts',
  ),
  fault(
    'etag-ignored',
    'http/prepared-file.ts',
    '=== file.etag)',
    '=== file.etag.slice(1))',
    'test/http/server.test.ts',
  ),
  fault(
    'large-answers-to-all-at-once',
    'http/prepared-file.ts',
    'const MAX_LARGE_IN_FLIGHT = 4;',
    'const MAX_LARGE_IN_FLIGHT = 4000;',
    'test/http/server.test.ts',
  ),
  fault(
    'rows-unlimited',
    'http/limits/request-fairness.ts',
    'if (waitMs > 0) await sleep(waitMs);',
    'if (waitMs < 0) await sleep(waitMs);',
    'test/http/limits/request-fairness.test.ts',
  ),
  fault(
    'exports-unlimited',
    'http/customer/exports.ts',
    'await takeRows(batch.length);',
    'void takeRows;',
    'test/http/customer/exports.test.ts',
  ),

  // Channels.
  fault(
    'dots-lead-to-another-path',
    'channels/http-upstream/request.ts',
    "throw new BuildFault('INVALID_URL');",
    'return new URL(text);',
    'test/channels/http-upstream/config.test.ts',
  ),
  fault(
    'refused-logins-unseen',
    'channels/sgip/listener.ts',
    'for (const user of concerned) user.noteRefused(reason);',
    'void concerned;',
    'test/channels/sgip/listener.test.ts',
  ),
  fault(
    'logins-of-any-type',
    'channels/sgip/listener.ts',
    'if (!LOGIN_TYPES.includes(type))',
    'if (!LOGIN_TYPES.includes(type) && type === 0)',
    'test/channels/sgip/listener.test.ts',
  ),
  fault(
    'five-windows-ahead',
    'channels/accepted-window.ts',
    'return Math.min(max, carrierWindow + ahead);',
    'return Math.max(max, carrierWindow + ahead);',
    'test/channels/accepted-window.test.ts',
  ),
  fault(
    'return-of-a-session-unlogged',
    'channels/session/session-channel.ts',
    'if (lostAt === undefined) return;',
    'if (lostAt !== null) return;',
    'test/channels/smpp/smpp-channel.test.ts',
  ),
  {
    name: 'close-reads-as-a-failed-write',
    changes: [
      {
        file: 'channels/session/session.ts',
        find: "closeReason ??= error.code === 'EPIPE' ? PEER_CLOSED : error.message;",
        replace: 'closeReason ??= error.message;',
      },
      { file: 'channels/session/session.ts', find: 'closeGracefully(PEER_CLOSED);', replace: '' },
    ],
    test: 'test/channels/session/session.test.ts',
  },
];
