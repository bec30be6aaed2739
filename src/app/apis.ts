// The APIs of a process with the role `api`.

import { randomBytes } from 'node:crypto';
import {
  CHANNEL_KINDS,
  callbackReaderOf,
  checkChannelConfig,
  exclusiveClaimOf,
  traitsOf,
} from '../channels/registry.js';
import type { Api } from '../http/api.js';
import { createAuthApi } from '../http/auth/api.js';
import { createOidcClient, type OidcClient } from '../http/auth/oidc-client.js';
import { createPasswordHasher } from '../http/auth/password-hasher.js';
import { createSessionAuth } from '../http/auth/session-auth.js';
import { createCustomerApi } from '../http/customer/api.js';
import type { CustomerDeps } from '../http/customer/deps.js';
import { createRequestFairness } from '../http/limits/request-fairness.js';
import { createOperatorApi } from '../http/operator/routes.js';
import type { WebhookDeps } from '../http/resources/webhook-actions.js';
import { createUpstreamApi } from '../http/upstream/api.js';
import { createFindViewer } from '../http/view-grant.js';
import { createUserMailer } from '../outbound/user-mail.js';
import { createCallbackReceiver } from '../pipeline/channel/reports/receive-callback.js';
import { createCustomerMutex } from '../pipeline/fairness/customer-mutex.js';
import { leaveChannels } from '../pipeline/maintenance/leave-channels.js';
import { createSources } from '../pipeline/push/sources.js';
import { markUnsentUnknown, readUnderWay } from '../pipeline/recover.js';
import type { MoveDeps } from '../pipeline/task-moves/moves.js';
import { moveTask, moveTasks, rescheduleTask, resolveTask } from '../pipeline/task-moves/moves.js';
import { requeueTemplate } from '../pipeline/task-moves/requeue-template.js';
import type { Config } from '../service/config.js';
import { rootTokensOf } from '../service/secrets.js';
import type { Core } from './core.js';
import type { GivenOptions } from './options.js';
import { limitsOf, type Pipeline, PUSH_VIEWS } from './pipeline.js';

export function createApis(core: Core, { acceptor, recorder }: Pipeline, options: GivenOptions): Api[] {
  const { calls: sql, readers, wake, machine, region: defaultRegion } = core;
  const { limiter, exportGate, guessGuard, processes } = machine;
  // After a change, whichever process a caller reaches next knows it.
  const refresh = async () => void (await Promise.all([core.snapshot.refresh(), machine.refreshOthers()]));
  const snapshot = { ...core.snapshot, refresh };
  const mutex = createCustomerMutex(options.signal);
  const moves: MoveDeps = {
    sql,
    snapshot: () => snapshot.current(),
    wake,
    region: defaultRegion,
    limits: limitsOf(core),
    mutex,
  };
  const move: CustomerDeps['move'] = (name, tenant, taskId, alongside) =>
    moveTask({ ...moves, ...(alongside && { alongside }) }, name, tenant, taskId);
  const moveAll: CustomerDeps['moveAll'] = (name, tenant, taskIds) => moveTasks(moves, name, tenant, taskIds);
  const reschedule: CustomerDeps['reschedule'] = (tenant, taskId, sendAt) =>
    rescheduleTask(moves, tenant, taskId, sendAt);
  const monotonicNow = () => performance.now();
  const webhooks: WebhookDeps = {
    ...core.push,
    sql,
    mutex,
    sealer: core.sealer,
    sources: createSources({ sql: readers, snapshot: () => snapshot.current(), views: PUSH_VIEWS }),
    nextId: core.nextId,
    randomBytes,
    onChanged: () => wake.notify('push'),
  };
  const authenticateSession = createSessionAuth(readers);
  const { smtpUrl, publicOrigin } = core.config;
  // A link from the Host of a request would lead people where the caller wants them.
  const isMailed = smtpUrl !== undefined && publicOrigin !== undefined;
  if (smtpUrl !== undefined && !isMailed)
    core.log.warn('POSTRIDER_SMTP_URL without POSTRIDER_PUBLIC_URL: no mail is sent');
  const sendUserMail = isMailed ? createUserMailer(smtpUrl, core.log) : undefined;
  const users = { nextId: core.nextId, randomBytes, now: Date.now, publicOrigin, sendUserMail };
  return [
    createCustomerApi({
      authenticateSession,
      users,
      sql,
      readers,
      snapshot,
      issuer: core.config.issuer,
      defaultRegion,
      move,
      moveAll,
      reschedule,
      acceptor,
      noteKeyUsed: core.keyUsage.note,
      credentials: { sealer: core.sealer, randomBytes, refreshSnapshot: refresh },
      templates: { nextId: core.nextId, refreshSnapshot: refresh },
      findViewer: createFindViewer({ ...core, rootTokens: rootTokensOf(core.secrets), now: Date.now }),
      webhooks,
      limiter,
      exportGate,
      fairness: createRequestFairness(),
      processes,
      now: Date.now,
      monotonicNow,
    }),
    createOperatorApi({
      authenticateSession,
      sql,
      readers,
      snapshot,
      defaultRegion,
      move,
      sealer: core.sealer,
      rootTokens: rootTokensOf(core.secrets),
      retentionMs: core.config.retentionMs,
      publicOrigin,
      sendUserMail,
      nextId: core.nextId,
      randomBytes,
      now: Date.now,
      monotonicNow,
      channelKinds: {
        list: CHANNEL_KINDS,
        traitsOf,
        hasCallbacks: (kind) => callbackReaderOf(kind) !== undefined,
        exclusiveClaimOf,
        checkConfig: checkChannelConfig,
      },
      onChannelTest: () => wake.notify('channels'),
      resolve: (tenant, taskId, { outcome, seqs }, alongside) =>
        resolveTask({ ...moves, alongside }, tenant, taskId, { outcome, seqs }),
      onCredited: () => wake.notify('refreeze'),
      requeueTemplate: (tenant, templateId, messageClass) =>
        requeueTemplate({ sql, wake }, tenant, templateId, messageClass),
      leaveChannels: (tenant) =>
        leaveChannels(
          { sql, snapshot: () => snapshot.current(), refreshSnapshot: snapshot.refresh, wake, recorder },
          tenant,
        ),
      recovery: {
        readUnderWay: (acceptedBefore) => readUnderWay(sql, acceptedBefore),
        markUnsentUnknown: (acceptedBefore) => markUnsentUnknown(sql, acceptedBefore, moves.limits),
      },
      guessGuard,
      webhooks,
    }),
    createAuthApi({
      ...core,
      sql,
      authenticateSession,
      signInCodes: machine.signInCodes,
      oidc: createOidc(core.config),
      publicOrigin,
      sendUserMail,
      hasher: createPasswordHasher(randomBytes, options.passwordCost),
      randomBytes,
      now: Date.now,
      monotonicNow,
    }),
    createUpstreamApi({
      snapshot,
      log: core.log,
      limiter,
      noteCallback: core.callbackAudit.note,
      now: Date.now,
      receive: createCallbackReceiver({ sql, wake, readerOf: callbackReaderOf, monotonicNow }),
    }),
  ];
}

function createOidc({ oidcIssuer, oidcClientId, oidcClientSecret, oidcRoleClaim }: Config): OidcClient | undefined {
  if (oidcIssuer === undefined || oidcClientId === undefined) return undefined;
  return createOidcClient({
    issuer: oidcIssuer,
    clientId: oidcClientId,
    clientSecret: oidcClientSecret,
    roleClaim: oidcRoleClaim,
  });
}
