// The fields that the configurations of CMPP and SMGP share, word for word.

import { Type } from '@sinclair/typebox';
import { inForm } from '../../domain/request/text-forms.js';

/** A code or a number that the carrier may have assigned. */
export const assignedWord = (maxLength: number, description: string) =>
  Type.String({ maxLength, ...inForm('ascii'), default: '', description });

export const gatewayFields = {
  source_prefix: assignedWord(20, "Access number to put before the service account's sender."),
  sessions: Type.Integer({ minimum: 1, maximum: 32, default: 1, description: 'Connections kept up at once.' }),
  window: Type.Integer({
    minimum: 1,
    maximum: 100,
    default: 16,
    description: 'Unanswered segments a session may have. A lost connection makes at most that many unknown.',
  }),
  keepalive_ms: Type.Integer({
    minimum: 100,
    maximum: 3_600_000,
    default: 30_000,
    description: 'Silence after which the gateway is sent an Active_Test.',
  }),
  response_timeout_ms: Type.Integer({
    minimum: 50,
    maximum: 600_000,
    default: 60_000,
    description:
      'How long to wait for an answer. A segment without one is unknown and never sent again; an unanswered Active_Test ends the session.',
  }),
  national_numbers: Type.Boolean({
    default: true,
    description: 'Send mainland numbers as 11 digits, without 86.',
  }),
};

export const gatewayFieldsZh: { readonly [Name in keyof typeof gatewayFields]: string } = {
  source_prefix: '接入号，置于服务账号的发送方号码之前。',
  sessions: '同时保持的连接数。',
  window: '每个连接允许的未应答条数；断线时最多有这么多条待核实。',
  keepalive_ms: '静默多久后发送 Active_Test（毫秒）。',
  response_timeout_ms: '等待应答的时间（毫秒）。短信无应答则待核实，不会重发；Active_Test 无应答则结束连接。',
  national_numbers: '以 11 位号码发送中国大陆手机号，不带 86。',
};
