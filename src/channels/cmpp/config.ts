// The configuration of a CMPP channel. Every field carries its description; docs/cmpp.md is compared with it by a test.
import { type Static, Type } from '@sinclair/typebox';
import { inForm } from '../../domain/text-forms.js';
import type { CmppVersion } from './pdu.js';

const word = (maxLength: number, description: string) =>
  Type.String({ maxLength, ...inForm('ascii'), default: '', description });

export const CmppConfigSchema = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 255, description: 'Name or address of the gateway (ISMG).' }),
    account: Type.String({
      minLength: 1,
      maxLength: 6,
      ...inForm('ascii'),
      description: 'Account (SP_Id) that the carrier assigns.',
    }),
    password: Type.String({
      maxLength: 64,
      ...inForm('ascii'),
      writeOnly: true,
      description: 'Its shared secret. Stored sealed, never shown again.',
    }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: 7890, description: 'TCP port of the gateway.' }),
    version: Type.Unsafe<CmppVersion>(
      Type.Union([Type.Literal('2.0'), Type.Literal('3.0')], {
        default: '2.0',
        description: 'Version of the protocol that the carrier agreed to.',
      }),
    ),
    service_id: word(10, 'Service code (Service_Id) that the carrier assigns.'),
    source_prefix: word(20, "Access number to put before the service account's sender."),
    sessions: Type.Integer({ minimum: 1, maximum: 32, default: 1, description: 'Connections kept up at once.' }),
    window: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 16,
      description: 'Unanswered parts a session may have. A lost connection makes at most that many unknown.',
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
        'How long to wait for an answer. A part without one is unknown and never sent again; an unanswered Active_Test ends the session.',
    }),
    national_numbers: Type.Boolean({
      default: true,
      description: 'Send mainland numbers as 11 digits, without 86.',
    }),
  },
  { additionalProperties: false },
);

export type CmppConfig = Static<typeof CmppConfigSchema>;

export const cmppFieldsZh: { readonly [Name in keyof CmppConfig]-?: string } = {
  host: '网关（ISMG）的主机名或地址。',
  account: '运营商分配的企业代码（SP_Id）。',
  password: '共享密钥。加密保存，不再显示。',
  port: '网关的 TCP 端口。',
  version: '与运营商约定的协议版本。',
  service_id: '运营商分配的业务代码（Service_Id）。',
  source_prefix: '接入号，置于服务账号的发送方号码之前。',
  sessions: '同时保持的连接数。',
  window: '每个连接允许的未应答条数；断线时最多有这么多条待核实。',
  keepalive_ms: '静默多久后发送 Active_Test（毫秒）。',
  response_timeout_ms: '等待应答的时间（毫秒）。短信无应答则待核实，不会重发；Active_Test 无应答则结束连接。',
  national_numbers: '以 11 位号码发送中国大陆手机号，不带 86。',
};
