// What the operator looks up: the audit log, and inbound messages that belong to nobody.

import { Type } from '@sinclair/typebox';
import { type AuditRecord, listAudit } from '../../store/operator/audit.js';
import { listUnclaimedUplinks, type UnclaimedUplink } from '../../store/operator/unclaimed-uplink.js';
import { AuditAnswer, UnclaimedUplinkAnswer } from './answers.js';
import { defineList, type OperatorDeps, type OperatorRoute } from './operator-route.js';

const auditList = {
  name: 'audit',
  timed: true,
  filters: {
    action: Type.String({ minLength: 1, maxLength: 64, description: 'Such as `customer.change`.' }),
    subject: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'What was changed: a customer_no, channel_no, task_no or firm.',
    }),
  },
} as const;

export function makeRecordRoutes(deps: OperatorDeps): OperatorRoute[] {
  return [
    defineList({
      path: '/audit',
      name: 'listAudit',
      item: AuditAnswer,
      tag: 'Audit',
      summary: 'List what was changed, by whom and when',
      list: auditList,
      source: async (_, { filters, startMs, endMs }) =>
        listAudit(deps.sql, {
          ...filters,
          ...(startMs === undefined ? {} : { startAt: new Date(startMs) }),
          ...(endMs === undefined ? {} : { endAt: new Date(endMs) }),
        }),
      render: renderAudit,
    }),
    defineList({
      path: '/unclaimed-uplinks',
      name: 'listUnclaimedUplinks',
      item: UnclaimedUplinkAnswer,
      tag: 'Audit',
      summary: 'List inbound messages to addresses that no service account has',
      list: { name: 'unclaimed-uplinks', timed: false, filters: {} },
      source: async () => listUnclaimedUplinks(deps.sql),
      render: renderUnclaimed,
    }),
  ];
}

function renderAudit({ at, actor, action, subject, change }: AuditRecord) {
  return { at: at.toISOString(), actor, action, subject, change };
}

function renderUnclaimed({ channel_no, sender, recipient, content, received_at }: UnclaimedUplink) {
  return { channel_no, sender, recipient, content, received_at: received_at.toISOString() };
}
