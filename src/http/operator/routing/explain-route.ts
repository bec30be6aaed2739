// Why a number would go where it would go, or nowhere: the rules of preparing, spoken aloud.

import { Type } from '@sinclair/typebox';
import type { ChannelConfig } from '../../../domain/entities/channel.js';
import type { ServiceAccountConfig } from '../../../domain/entities/service-account.js';
import type { TemplateConfig } from '../../../domain/entities/template.js';
import { errorText } from '../../../domain/fault/error-text.js';
import { formatMoney } from '../../../domain/money/money.js';
import { normalisePhone } from '../../../domain/phone/phone.js';
import { createRouter, findFirms } from '../../../domain/plan/routing.js';
import { MESSAGE_CLASSES } from '../../../domain/rules/message-class.js';
import { addSenderSignature } from '../../../domain/rules/signature.js';
import { loadRules } from '../../../sending-rules/rules.js';
import { readLiveChannels } from '../../../store/channel/channel-lease.js';
import type { Snapshot } from '../../../store/snapshot/snapshot.js';
import { invalidRequest } from '../../problem/problem.js';
import { oneOf, parseWordsQuery } from '../../query/list-query.js';
import { parameterFault } from '../../query/query-string.js';
import { answerOf, orNull } from '../../resources/entity-answers.js';
import { describePath, type OperatorDeps, type OperatorRoute, readParam } from '../operator-route.js';

const REASONS = [
  'not_granted',
  'disabled',
  'other_firm',
  'not_filed',
  'filing_pending',
  'filing_rejected',
  'signature_changed',
  'down',
] as const;
type Reason = (typeof REASONS)[number];

const RouteExplanationAnswer = answerOf(
  {
    $id: 'RouteExplanation',
    description: 'Which channels a number would use with a template, and why not the others.',
  },
  {
    phone: Type.String(),
    to: orNull(Type.String({ description: 'E.164 digits; null for what is no number.' })),
    customer_no: Type.String(),
    template_no: Type.String(),
    service_account_no: Type.String(),
    class: oneOf(MESSAGE_CLASSES, 'Of the template.'),
    text: Type.String({ description: 'With the signature; variables stand as placeholders.' }),
    code: orNull(Type.String({ description: 'The code it would be rejected with; null: it would be sent.' })),
    firm: orNull(Type.String()),
    firms: Type.Array(Type.String(), {
      description:
        'The carriers that have the number by its prefix, the longest first. With `no_route` and none of them, its prefix is missing; with some, no channel that may be used serves them.',
    }),
    unit_price: orNull(Type.String()),
    channels: Type.Array(
      Type.Object({
        channel_no: Type.String(),
        name: Type.String(),
        is_used: Type.Boolean({ description: 'Whether it is one of those that could carry the number now.' }),
        reason: orNull(oneOf(REASONS, 'Why it is not used.')),
      }),
    ),
  },
);

const filters = {
  template_no: Type.String({ minLength: 1, maxLength: 64, description: 'The template that would be sent.' }),
};

export function createExplainRoute(deps: OperatorDeps): OperatorRoute {
  return {
    ...describePath('/numbers/{phone}/route'),
    method: 'GET',
    name: 'explainRoute',
    permission: 'read',
    tag: 'Records',
    summary: 'Explain where a number would go with a template',
    description: 'By the rules and the state of this moment. Nothing is sent.',
    query: filters,
    answer: { status: 200, schema: RouteExplanationAnswer, description: 'Where it would go, and why not elsewhere.' },
    problems: [],
    handle: (call) => {
      const { template_no: templateNo } = parseWordsQuery(filters, call.requestTarget);
      return explain(deps, readParam(call, 'phone'), templateNo);
    },
  };
}

async function explain(deps: OperatorDeps, phone: string, templateNo: string | undefined) {
  const known = deps.snapshot.current();
  const template = templateNo === undefined ? undefined : known.templateByNo(templateNo);
  const account = template && known.serviceAccountById(template.serviceAccountId);
  const customer = template && known.customer(template.customerId);
  if (template === undefined || account === undefined || customer === undefined) {
    throw invalidRequest([parameterFault('template_no', 'out_of_range', errorText('unknown_template'))]);
  }
  const live = await readLiveChannels(deps.sql);
  const isUp = (channelId: bigint) => live.has(channelId);
  const to = normalisePhone(phone, deps.defaultRegion);
  const route = to === undefined ? undefined : findRoute(known, template, account, isUp)(to);
  const text = addSenderSignature(template.body, account);
  const messages = { common: text, text: () => text, parts: () => 1 };
  const ruled = {
    task: {
      customerId: customer.customerId,
      templateId: template.templateId,
      serviceAccountId: account.serviceAccountId,
    },
    numbers: { payload: { phones: [phone], variables: {}, body: text }, to: [to], messages },
  };
  const context = {
    sql: deps.sql,
    bucket: customer.bucket,
    snapshot: deps.snapshot.current,
    now: new Date(deps.now()),
  };
  const checks = (await loadRules(context, [ruled]))(ruled);
  const findBroken = (isBefore: boolean) =>
    checks.find(({ isBeforeRouting, rejects }) => isBeforeRouting === isBefore && rejects(to ?? '', 0) !== false)?.code;
  const findCode = (): string | null => {
    if (template.status !== 'active') return 'template_unavailable';
    if (to === undefined) return 'invalid_number';
    return findBroken(true) ?? (route === undefined ? 'no_route' : (findBroken(false) ?? null));
  };
  const priceOf = route && known.priceOf(customer.customerId, route.firm, template.class);
  return {
    phone,
    to: to ?? null,
    customer_no: customer.customerNo,
    template_no: template.templateNo,
    service_account_no: account.serviceAccountNo,
    class: template.class,
    text,
    code: findCode(),
    firm: route?.firm ?? null,
    firms: to === undefined ? [] : findFirms(known.firms(), to),
    unit_price: priceOf === undefined || to === undefined ? null : formatMoney(priceOf(to, new Date(deps.now()))),
    channels: known.channels().map((channel) => {
      const isUsed = route?.channelIds.includes(channel.channelId) === true;
      const reason = isUsed ? null : findReason(known, template, account, channel, route?.firm, isUp);
      return { channel_no: channel.channelNo, name: channel.name, is_used: isUsed, reason };
    }),
  };
}

function findRoute(
  known: Snapshot,
  template: TemplateConfig,
  account: ServiceAccountConfig,
  isUp: (channelId: bigint) => boolean,
) {
  const usable = known.usableChannels(template.customerId, account.serviceAccountId);
  return createRouter(known.firms(), usable, isUp, { targetFirms: [], approvedFirms: template.firms });
}

function findReason(
  known: Snapshot,
  template: TemplateConfig,
  account: ServiceAccountConfig,
  channel: ChannelConfig,
  firm: string | undefined,
  isUp: (channelId: bigint) => boolean,
): Reason {
  if (channel.status !== 'active') return 'disabled';
  if (!known.grantedChannels(template.customerId).includes(channel)) return 'not_granted';
  if (!known.isFiled(channel, account.serviceAccountId)) {
    const filing = known.filing(account.serviceAccountId, channel.channelId);
    if (filing === undefined) return 'not_filed';
    if (filing.status !== 'filed') return filing.status === 'pending' ? 'filing_pending' : 'filing_rejected';
    return 'signature_changed';
  }
  if (firm === undefined || !channel.firms.includes(firm)) return 'other_firm';
  return isUp(channel.channelId) ? 'other_firm' : 'down';
}
