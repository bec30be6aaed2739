// The configuration of an SGIP channel. Every field carries its description; docs/sgip.md is compared with it by a test.
import { type Static, Type } from '@sinclair/typebox';
import { inForm } from '../../domain/request/text-forms.js';

const word = (maxLength: number, description: string) =>
  Type.String({ maxLength, ...inForm('ascii'), default: '', description });

const port = (description: string) => Type.Integer({ minimum: 1, maximum: 65_535, default: 8801, description });

const MAX_NODE_ID = 0xffff_ffff;

export const SgipConfigSchema = Type.Object(
  {
    host: Type.String({
      minLength: 1,
      maxLength: 255,
      description:
        'Name or address of the gateway (SMG). The gateway may connect from any address of that name, and from no other.',
    }),
    account: Type.String({
      minLength: 1,
      maxLength: 16,
      ...inForm('ascii'),
      description: 'Login name at the gateway.',
    }),
    password: Type.String({
      maxLength: 16,
      ...inForm('ascii'),
      writeOnly: true,
      description: 'Its password. Stored sealed, never shown again.',
    }),
    node_id: Type.Unsafe<number | string>({
      type: 'integer',
      // Ten digits are often written as a text.
      anyOf: [
        Type.Integer({ minimum: 1, maximum: MAX_NODE_ID }),
        Type.String({ pattern: '^([1-9][0-9]{0,8}|[1-3][0-9]{9})$' }),
      ],
      minimum: 1,
      maximum: MAX_NODE_ID,
      title: 'Node ID',
      description:
        'Node number that the carrier assigns: 3, the area code in four digits, the corporation id, such as 3010090001.',
    }),
    corp_id: Type.String({
      minLength: 1,
      maxLength: 5,
      ...inForm('ascii'),
      title: 'Corporation ID',
      description: 'Corporation id of five digits.',
    }),
    port: port('TCP port of the gateway.'),
    listen_host: Type.String({
      minLength: 1,
      maxLength: 255,
      default: '0.0.0.0',
      description: 'Local address to listen on: the gateway connects to it with reports and replies.',
    }),
    listen_port: port('TCP port to listen on. Several channels may share it; their login names tell them apart.'),
    listen_account: word(16, 'Login name that the gateway connects with; empty: the one of `account`.'),
    listen_password: Type.String({
      maxLength: 16,
      ...inForm('ascii'),
      default: '',
      writeOnly: true,
      description: 'Password that the gateway connects with; empty: the one of `password`. Stored sealed.',
    }),
    service_type: word(10, 'Service code (ServiceType) that the carrier assigns.'),
    source_prefix: word(20, "Access number to put before the service account's sender."),
    sessions: Type.Integer({
      minimum: 1,
      maximum: 32,
      default: 1,
      description: 'Connections to the gateway at once, while there is something to send.',
    }),
    window: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 32,
      description: 'Unanswered segments a session may have. A lost connection makes at most that many unknown.',
    }),
    response_timeout_ms: Type.Integer({
      minimum: 50,
      maximum: 600_000,
      default: 30_000,
      description: 'How long to wait for an answer. A segment without one is unknown and never sent again.',
    }),
  },
  { additionalProperties: false },
);

export type SgipConfig = Static<typeof SgipConfigSchema>;

export const sgipFieldsZh: { readonly [Name in keyof SgipConfig]-?: string } = {
  host: '网关（SMG）的主机名或地址。网关只能从该主机名对应的地址连接过来。',
  account: '登录网关的用户名。',
  password: '登录密码。加密保存，不再显示。',
  node_id: '运营商分配的节点编号：3 + 四位区号 + 企业代码，例如 3010090001。',
  corp_id: '五位企业代码。',
  port: '网关的 TCP 端口。',
  listen_host: '本机监听地址，网关连接到此地址上报送达报告和回复。',
  listen_port: '监听的 TCP 端口。多个通道可共用，以登录名区分。',
  listen_account: '网关连接本机时使用的用户名；留空则与 account 相同。',
  listen_password: '网关连接本机时使用的密码；留空则与 password 相同。加密保存。',
  service_type: '运营商分配的业务代码（ServiceType）。',
  source_prefix: '接入号，置于服务账号的发送方号码之前。',
  sessions: '有短信待发时与网关保持的连接数。',
  window: '每个连接允许的未应答条数；断线时最多有这么多条待核实。',
  response_timeout_ms: '等待应答的时间（毫秒）。短信无应答则待核实，不会重发。',
};
