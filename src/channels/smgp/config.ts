// The configuration of a SMGP channel. Every field carries its description; docs/smgp.md is compared with it by a test.
import { type Static, Type } from '@sinclair/typebox';
import { inForm } from '../../domain/request/text-forms.js';
import { assignedWord, gatewayFields, gatewayFieldsZh } from '../china/gateway-config.js';

export const SmgpConfigSchema = Type.Object(
  {
    host: Type.String({ minLength: 1, maxLength: 255, description: 'Name or address of the gateway (SMGW).' }),
    account: Type.String({
      minLength: 1,
      maxLength: 8,
      ...inForm('ascii'),
      description: 'Account (ClientID) that the carrier assigns.',
    }),
    password: Type.String({
      maxLength: 64,
      ...inForm('ascii'),
      writeOnly: true,
      description: 'Its shared secret. Stored sealed, never shown again.',
    }),
    port: Type.Integer({ minimum: 1, maximum: 65_535, default: 8890, description: 'TCP port of the gateway.' }),
    service_id: assignedWord(10, 'Service code (ServiceID) that the carrier assigns.'),
    ...gatewayFields,
  },
  { additionalProperties: false },
);

export type SmgpConfig = Static<typeof SmgpConfigSchema>;

export const smgpFieldsZh: { readonly [Name in keyof SmgpConfig]-?: string } = {
  host: '网关（SMGW）的主机名或地址。',
  account: '运营商分配的账号（ClientID）。',
  password: '共享密钥。加密保存，不再显示。',
  port: '网关的 TCP 端口。',
  service_id: '运营商分配的业务代码（ServiceID）。',
  ...gatewayFieldsZh,
};
