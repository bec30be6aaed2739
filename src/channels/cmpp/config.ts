// The configuration of a CMPP channel. Every field carries its description; docs/cmpp.md is compared with it by a test.
import { type Static, Type } from '@sinclair/typebox';
import { inForm } from '../../domain/request/text-forms.js';
import { assignedWord, gatewayFields, gatewayFieldsZh } from '../china/gateway-config.js';
import type { CmppVersion } from './pdu.js';

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
    service_id: assignedWord(10, 'Service code (Service_Id) that the carrier assigns.'),
    ...gatewayFields,
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
  ...gatewayFieldsZh,
};
