import { isSupportedCountry } from 'libphonenumber-js/max';
import { type NetworkList, NO_NETWORKS, parseNetworks } from '../domain/access/network-list.js';
import { type AllowList, NOTHING_ALLOWED, parseAllowList } from '../domain/access/public-address.js';
import { durationForms, parseDuration } from '../domain/duration.js';
import { findNearSpellings } from '../domain/request/near-spellings.js';
import { defaultDataDir } from './checkout.js';
import {
  matching,
  parseAddressMap,
  parseCollector,
  parseDatabaseUrl,
  parseIssuer,
  parseOrigin,
  parsePort,
  parseProcesses,
  parseRatio,
  parseRetention,
  parseSmtpUrl,
} from './setting-values.js';

export type Role = 'api' | 'worker' | 'channels';

export interface Config {
  /** Absent: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** `host:port` of a worker in the catalogue of its cluster, to `host:port` as it is reached from here. */
  readonly workerAddresses: ReadonlyMap<string, string>;
  readonly dataDir: string;
  readonly host: string;
  /** 0 lets the system choose one. */
  readonly port: number;
  /** Absent: kept in the data folder. */
  readonly operatorToken: string | undefined;
  /** Absent: kept in the data folder. */
  readonly secretKey: string | undefined;
  readonly roles: ReadonlySet<Role>;
  /** On this machine, behind one port. */
  readonly processes: number;
  readonly defaultRegion: string;
  readonly isDemo: boolean;
  readonly receiptTimeoutMs: number;
  readonly unknownTimeoutMs: number;
  readonly unsentTimeoutMs: number;
  /** How long history is kept; null: for ever. */
  readonly retentionMs: number | null;
  /** Hosts and networks that webhooks may reach although they are not public. */
  readonly webhookAllow: AllowList;
  readonly upstreamAllow: AllowList;
  /** Proxies whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: NetworkList;
  /** Where people reach the service. Undefined: as each request says. */
  readonly publicOrigin: string | undefined;
  /** The OpenID provider that people may sign in with. */
  readonly oidcIssuer: string | undefined;
  readonly oidcClientId: string | undefined;
  readonly oidcClientSecret: string | undefined;
  readonly oidcRoleClaim: string | undefined;
  /** The mail server that invitations and notices are sent by. */
  readonly smtpUrl: string | undefined;
  readonly issuer: string | undefined;
  /** The OpenTelemetry collector that traces go to. */
  readonly otlpEndpoint: string | undefined;
  /** From 0 to 1: how many tasks are traced. */
  readonly traceRatio: number;
  readonly logLevel: string;
  /** Variables that look like settings of the service and are not: logged as a warning. */
  readonly ignoredVariables: readonly string[];
}

export interface ConfigField {
  readonly variable: string;
  /** As the documentation shows it. */
  readonly default: string;
  readonly description: string;
  /** What a value may be, to complete "must be …". */
  readonly allowed: string;
  /** A secret value is never repeated in a message. */
  readonly isSecret: boolean;
}

/** All that the environment can say. docs/configuration.md shows this table, and a test compares the two. */
export const configFields = {
  databaseUrl: {
    variable: 'POSTRIDER_DATABASE_URL',
    default: 'none: an embedded PostgreSQL in the data folder',
    description:
      'A PostgreSQL 15 to 18 of your own. With several hosts, as `one:5432,two:5432`, the primary among them is used. Add `pgbouncer=true` behind a pooler in transaction mode.',
    allowed: 'a URL like postgres://user:password@host:5432/database',
    isSecret: true,
  },
  workerAddresses: {
    variable: 'POSTRIDER_WORKER_ADDRESSES',
    default: 'none: as the catalogue of the cluster names them',
    description:
      'On a cluster: the addresses of workers that are reached from here at another one, like `worker-1:5432=10.0.0.7:5432`.',
    allowed: 'a list like worker-1:5432=10.0.0.7:5432, with commas between',
    isSecret: false,
  },
  dataDir: {
    variable: 'POSTRIDER_DATA_DIR',
    default: '`data` in the checkout',
    description: 'The data folder: the embedded database and generated secrets.',
    allowed: 'a path',
    isSecret: false,
  },
  host: {
    variable: 'POSTRIDER_HOST',
    default: '`127.0.0.1`',
    description: 'The address to listen on; `0.0.0.0` or `::` for all.',
    allowed: 'an address or host name',
    isSecret: false,
  },
  port: {
    variable: 'POSTRIDER_PORT',
    default: '`8080`',
    description: 'The port to listen on; `0` for any free one.',
    allowed: 'a whole number from 0 to 65535',
    isSecret: false,
  },
  operatorToken: {
    variable: 'POSTRIDER_OPERATOR_TOKEN',
    default: 'generated into `operator-token` in the data folder',
    description:
      'The root token of the operator API, at least 16 characters; `new,old` to accept two during a rotation.',
    allowed: 'at least 16 characters of printable ASCII without spaces, such as those of `openssl rand -hex 32`',
    isSecret: true,
  },
  secretKey: {
    variable: 'POSTRIDER_SECRET_KEY',
    default: 'generated into `secret-key` in the data folder',
    description:
      'Seals stored secrets. Every process on one database needs the same, and losing it loses them. `new,old` during a rotation: the first seals, both open.',
    allowed: 'at least 16 characters, best 32 random bytes in hexadecimal',
    isSecret: true,
  },
  roles: {
    variable: 'POSTRIDER_ROLES',
    default: '`api,worker,channels`',
    description: 'What this process does, or each of its processes.',
    allowed: 'a list of api, worker and channels, with commas between',
    isSecret: false,
  },
  processes: {
    variable: 'POSTRIDER_PROCESSES',
    default: '`1`',
    description:
      'How many processes share the work of this machine, behind one port; `auto`: one for each processor core, up to 16.',
    allowed: 'a whole number from 1 to 64, or auto',
    isSecret: false,
  },
  defaultRegion: {
    variable: 'POSTRIDER_DEFAULT_REGION',
    default: '`CN`',
    description: 'The country of phone numbers written without a country code.',
    allowed: 'a country code of two capital letters, like CN',
    isSecret: false,
  },
  isDemo: {
    variable: 'POSTRIDER_DEMO',
    default: '`on` with the embedded database, else `off`',
    description:
      "On first start, a demo customer, template, simulator channel and balance. `off` behind a proxy: one that hides that it is a proxy would show the demo's key in the documentation to its visitors.",
    allowed: 'on or off',
    isSecret: false,
  },
  receiptTimeoutMs: {
    variable: 'POSTRIDER_RECEIPT_TIMEOUT',
    default: '`72h`',
    description: 'How long an accepted number waits for its report before it expires.',
    allowed: durationForms,
    isSecret: false,
  },
  unknownTimeoutMs: {
    variable: 'POSTRIDER_UNKNOWN_TIMEOUT',
    default: '`24h`',
    description: 'How long a number may stay unknown before it counts as not accepted.',
    allowed: durationForms,
    isSecret: false,
  },
  unsentTimeoutMs: {
    variable: 'POSTRIDER_UNSENT_TIMEOUT',
    default: '`72h`',
    description: 'How long a number waits for a channel that is gone before it is given up.',
    allowed: durationForms,
    isSecret: false,
  },
  retentionMs: {
    variable: 'POSTRIDER_RETENTION',
    default: '`forever`',
    description:
      'How long history is kept, by whole months: records, receipts, replies, finished tasks, webhook attempts and looks in the audit log. Ledger, statements and statistics stay.',
    allowed: 'forever, or a number of days like 400d',
    isSecret: false,
  },
  webhookAllow: {
    variable: 'POSTRIDER_WEBHOOK_ALLOW',
    default: 'none',
    description:
      'Hosts and networks that webhooks may reach although they are not public, also by `http:`; `127.0.0.0/8` for tests.',
    allowed: 'a list of host names, addresses and networks like 10.1.0.0/16, with commas between',
    isSecret: false,
  },
  upstreamAllow: {
    variable: 'POSTRIDER_UPSTREAM_ALLOW',
    default: 'none',
    description:
      'Hosts and networks that channels over HTTP may reach although they are not public, also by `http:`; `127.0.0.0/8` for tests.',
    allowed: 'a list of host names, addresses and networks like 10.1.0.0/16, with commas between',
    isSecret: false,
  },
  trustedProxies: {
    variable: 'POSTRIDER_TRUSTED_PROXIES',
    default: 'none',
    description:
      'Networks of your proxies. From them `X-Forwarded-For` is believed: the rightmost address that is not trusted is the caller. From elsewhere it is ignored.',
    allowed: 'a list of addresses and networks like 10.1.0.0/16, with commas between',
    isSecret: false,
  },
  publicOrigin: {
    variable: 'POSTRIDER_PUBLIC_URL',
    default: 'none: the address of each request',
    description:
      'Where people reach the service. Invitation links, the redirect URI of single sign-on and passkeys belong to it; without it, passkeys work at `localhost` only.',
    allowed: 'an https: address without a path like https://sms.example.com (http: on this machine only)',
    isSecret: false,
  },
  oidcIssuer: {
    variable: 'POSTRIDER_OIDC_ISSUER',
    default: 'none',
    description:
      'The issuer of an OpenID provider that people may sign in with; `POSTRIDER_OIDC_CLIENT_ID` is needed too. Its redirect URI is `/auth/oidc/callback` of the service.',
    allowed: 'an https: address like https://id.example.com (http: on this machine only)',
    isSecret: false,
  },
  oidcClientId: {
    variable: 'POSTRIDER_OIDC_CLIENT_ID',
    default: 'none',
    description: 'The client that the OpenID provider knows the service as.',
    allowed: 'a name of up to 200 characters',
    isSecret: false,
  },
  oidcClientSecret: {
    variable: 'POSTRIDER_OIDC_CLIENT_SECRET',
    default: 'none: a public client',
    description: 'The secret of this client.',
    allowed: 'a secret of up to 1000 characters',
    isSecret: true,
  },
  oidcRoleClaim: {
    variable: 'POSTRIDER_OIDC_ROLE_CLAIM',
    default: 'none: users are invited',
    description: 'The claim with which the OpenID provider says who has access, with which role.',
    allowed: 'the name of a claim',
    isSecret: false,
  },
  smtpUrl: {
    variable: 'POSTRIDER_SMTP_URL',
    default: 'none: links are shown, not sent',
    description:
      'The mail server that invitations, password reset links and notices are sent by, with `POSTRIDER_PUBLIC_URL`, like `smtps://user:password@mail.example.com?from=noreply@example.com`.',
    allowed: 'an address like smtps://user:password@mail.example.com?from=noreply@example.com',
    isSecret: true,
  },
  issuer: {
    variable: 'POSTRIDER_ISSUER',
    default: 'none',
    description: 'Name and address of the platform, at the head of statements.',
    allowed: 'a line of up to 300 characters',
    isSecret: false,
  },
  otlpEndpoint: {
    variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    default: 'none: nothing is traced',
    description:
      'The OpenTelemetry collector that [traces of tasks](guides/production.md#traces) go to, over OTLP/HTTP. The SDK reads `OTEL_EXPORTER_OTLP_HEADERS` and `OTEL_SERVICE_NAME`, too.',
    allowed: 'an address like http://127.0.0.1:4318',
    isSecret: false,
  },
  traceRatio: {
    variable: 'OTEL_TRACES_SAMPLER_ARG',
    default: '`1`',
    description: 'How many tasks are traced, from `0` to `1`; every process chooses the same ones.',
    allowed: 'a number from 0 to 1',
    isSecret: false,
  },
  logLevel: {
    variable: 'POSTRIDER_LOG_LEVEL',
    default: '`info`',
    description: 'The least important lines that are logged.',
    allowed: 'one of fatal, error, warn, info, debug, trace and silent',
    isSecret: false,
  },
} as const satisfies Record<Exclude<keyof Config, 'ignoredVariables'>, ConfigField>;

/** Reports all problems at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  constructor(
    readonly problems: readonly string[],
    where: 'configuration' | 'command line' = 'configuration',
  ) {
    super(
      `The ${where} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}:\n${problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
  }
}

export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  // An empty variable counts as unset: a compose file writes it so.
  const read = <Value>(field: ConfigField, fallback: Value, parse: (text: string) => Value | undefined): Value => {
    const text = env[field.variable]?.trim() ?? '';
    if (text === '') return fallback;
    const value = parse(text);
    if (value !== undefined) return value;
    problems.push(`${field.variable} must be ${field.allowed}${field.isSecret ? '' : `; it is "${text}"`}.`);
    return fallback;
  };
  const fields = configFields;
  const databaseUrl = read<string | undefined>(fields.databaseUrl, undefined, parseDatabaseUrl);
  const config: Config = {
    databaseUrl,
    workerAddresses: read<ReadonlyMap<string, string>>(fields.workerAddresses, new Map(), parseAddressMap),
    dataDir: read(fields.dataDir, defaultDataDir, (text) => text),
    host: read(fields.host, '127.0.0.1', (text) => matching(text, /^[A-Za-z0-9.:%_-]+$/)),
    port: read(fields.port, 8080, parsePort),
    operatorToken: read<string | undefined>(fields.operatorToken, undefined, (text) => matching(text, /^[!-~]{16,}$/)),
    secretKey: read<string | undefined>(fields.secretKey, undefined, (text) => matching(text, /^.{16,}$/s)),
    roles: read<ReadonlySet<Role>>(fields.roles, new Set(roles), parseRoles),
    processes: read(fields.processes, 1, parseProcesses),
    defaultRegion: read(fields.defaultRegion, 'CN', (text) => (isSupportedCountry(text) ? text : undefined)),
    isDemo: read(fields.isDemo, databaseUrl === undefined, (text) => switches[text]),
    receiptTimeoutMs: read(fields.receiptTimeoutMs, 72 * 3_600_000, parseDuration),
    unknownTimeoutMs: read(fields.unknownTimeoutMs, 24 * 3_600_000, parseDuration),
    unsentTimeoutMs: read(fields.unsentTimeoutMs, 72 * 3_600_000, parseDuration),
    retentionMs: read<number | null>(fields.retentionMs, null, parseRetention),
    webhookAllow: read(fields.webhookAllow, NOTHING_ALLOWED, parseAllowList),
    upstreamAllow: read(fields.upstreamAllow, NOTHING_ALLOWED, parseAllowList),
    trustedProxies: read(fields.trustedProxies, NO_NETWORKS, (text) => parseNetworks(text.split(','))),
    publicOrigin: read<string | undefined>(fields.publicOrigin, undefined, parseOrigin),
    oidcIssuer: read<string | undefined>(fields.oidcIssuer, undefined, parseIssuer),
    oidcClientId: read<string | undefined>(fields.oidcClientId, undefined, (text) => matching(text, /^[!-~]{1,200}$/)),
    oidcClientSecret: read<string | undefined>(fields.oidcClientSecret, undefined, (text) =>
      matching(text, /^[!-~]{1,1000}$/),
    ),
    oidcRoleClaim: read<string | undefined>(fields.oidcRoleClaim, undefined, (text) => matching(text, /^\S{1,200}$/)),
    smtpUrl: read<string | undefined>(fields.smtpUrl, undefined, parseSmtpUrl),
    issuer: read<string | undefined>(fields.issuer, undefined, (text) => matching(text, /^\P{Cc}{1,300}$/u)),
    otlpEndpoint: read<string | undefined>(fields.otlpEndpoint, undefined, parseCollector),
    traceRatio: read(fields.traceRatio, 1, parseRatio),
    logLevel: read(fields.logLevel, 'info', (text) => matching(text, /^(fatal|error|warn|info|debug|trace|silent)$/)),
    ignoredVariables: findUnknownVariables(env, problems),
  };
  if ((config.oidcIssuer === undefined) !== (config.oidcClientId === undefined)) {
    problems.push(`${fields.oidcIssuer.variable} and ${fields.oidcClientId.variable} must be set together.`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return config;
}

const roles: readonly Role[] = ['api', 'worker', 'channels'];
const switches: Readonly<Record<string, boolean>> = { on: true, off: false };

function parseRoles(text: string): ReadonlySet<Role> | undefined {
  const names = text.split(',').map((name) => name.trim());
  const found = roles.filter((role) => names.includes(role));
  return names.every((name) => found.some((role) => role === name)) ? new Set(found) : undefined;
}

// A misspelt variable would be ignored silently. A variable that resembles none of the settings belongs to another program, such as the
// command line client, and must not keep the service from starting.
function findUnknownVariables(env: Readonly<Record<string, string | undefined>>, problems: string[]): string[] {
  const known = Object.values(configFields).map((field): string => field.variable);
  const ignored: string[] = [];
  for (const variable of Object.keys(env).sort()) {
    if (!variable.startsWith('POSTRIDER_') || known.includes(variable)) continue;
    const near = findNearSpellings(variable, known, 'POSTRIDER_');
    if (near.length > 0) problems.push(`${variable} is not known; did you mean ${near.join(' or ')}?`);
    else ignored.push(variable);
  }
  return ignored;
}
