import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { NO_NETWORKS } from '../../src/domain/access/network-list.js';
import { NOTHING_ALLOWED } from '../../src/domain/access/public-address.js';
import { ConfigError, configFields, readConfig } from '../../src/service/config.js';
import { checkout } from '../support/service-process.js';

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('the configuration', () => {
  test('has a default for everything', () => {
    expect(readConfig({ PATH: '/bin', POSTRIDER_PORT: '' })).toEqual({
      databaseUrl: undefined,
      workerAddresses: new Map(),
      dataDir: join(checkout, 'data'),
      host: '127.0.0.1',
      port: 8080,
      operatorToken: undefined,
      secretKey: undefined,
      roles: new Set(['api', 'worker', 'channels']),
      processes: 1,
      defaultRegion: 'CN',
      isDemo: true,
      receiptTimeoutMs: 72 * 3_600_000,
      unknownTimeoutMs: 24 * 3_600_000,
      unsentTimeoutMs: 72 * 3_600_000,
      retentionMs: null,
      webhookAllow: NOTHING_ALLOWED,
      upstreamAllow: NOTHING_ALLOWED,
      trustedProxies: NO_NETWORKS,
      oidcIssuer: undefined,
      oidcClientId: undefined,
      oidcClientSecret: undefined,
      oidcRoleClaim: undefined,
      smtpUrl: undefined,
      issuer: undefined,
      traceRatio: 1,
      logLevel: 'info',
      ignoredVariables: [],
    });
  });

  test.each(['http://id.example.com', 'id.example.com', 'https://id.example.com/?a=b', 'ftp://id.example.com'])(
    'takes no %s for an issuer',
    (text) => {
      const problems = problemsOf({ POSTRIDER_OIDC_ISSUER: text, POSTRIDER_OIDC_CLIENT_ID: 'postrider' });
      expect(problems[0]).toMatch(/^POSTRIDER_OIDC_ISSUER must be an https: address/);
    },
  );

  test.each([
    ['https://sms.example.com/', 'https://sms.example.com'],
    ['https://sms.example.com:8443', 'https://sms.example.com:8443'],
    ['http://localhost:8080', 'http://localhost:8080'],
  ])('takes %s for the public address %s', (text, origin) => {
    expect(readConfig({ POSTRIDER_PUBLIC_URL: text }).publicOrigin).toBe(origin);
  });

  test.each([
    'http://sms.example.com',
    'https://sms.example.com/console',
    'https://me@sms.example.com',
    'sms.example.com',
  ])('takes no %s for the public address', (text) => {
    const problems = problemsOf({ POSTRIDER_PUBLIC_URL: text });
    expect(problems[0]).toMatch(/^POSTRIDER_PUBLIC_URL must be an https: address without a path/);
  });

  test('takes an issuer and a client together', () => {
    const together = 'POSTRIDER_OIDC_ISSUER and POSTRIDER_OIDC_CLIENT_ID must be set together.';
    expect(problemsOf({ POSTRIDER_OIDC_ISSUER: 'https://id.example.com' })).toEqual([together]);
    expect(problemsOf({ POSTRIDER_OIDC_CLIENT_ID: 'postrider' })).toEqual([together]);
  });

  test('never repeats the password of the mail server', () => {
    expect(problemsOf({ POSTRIDER_SMTP_URL: 'https://me:hunter2@mail' }).join()).not.toContain('hunter2');
  });

  test.each(['0', '-1', '1.5', '65', '100', 'many', 'Auto'])('takes no %s for processes', (text) => {
    expect(problemsOf({ POSTRIDER_PROCESSES: text })).toEqual([
      `POSTRIDER_PROCESSES must be a whole number from 1 to 64, or auto; it is "${text}".`,
    ]);
  });

  test('has a process for each processor core with auto', () => {
    const { processes } = readConfig({ POSTRIDER_PROCESSES: 'auto' });
    expect(processes).toBe(Math.min(16, availableParallelism()));
  });

  test('is read from the environment', () => {
    const config = readConfig({
      POSTRIDER_DATABASE_URL: 'postgres://me:secret@db:5432/postrider?pgbouncer=true',
      POSTRIDER_WORKER_ADDRESSES: 'worker-1:5432=10.0.0.7:6432, worker-2:5432=[fd00::8]:5432',
      POSTRIDER_DATA_DIR: '/srv/postrider',
      POSTRIDER_HOST: '::',
      POSTRIDER_PORT: '0',
      POSTRIDER_OPERATOR_TOKEN: 'token-of-an-operator',
      POSTRIDER_SECRET_KEY: '0123456789abcdef',
      POSTRIDER_RETENTION: '400d',
      POSTRIDER_ROLES: 'worker, api',
      POSTRIDER_PROCESSES: '4',
      POSTRIDER_DEFAULT_REGION: 'DE',
      POSTRIDER_RECEIPT_TIMEOUT: '1500ms',
      POSTRIDER_UNKNOWN_TIMEOUT: '15m',
      POSTRIDER_UNSENT_TIMEOUT: '3d',
      POSTRIDER_WEBHOOK_ALLOW: 'hooks.internal,10.0.0.0/8',
      POSTRIDER_UPSTREAM_ALLOW: 'sms.internal',
      POSTRIDER_TRUSTED_PROXIES: '10.1.0.0/16, ::1',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318/otlp',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
      POSTRIDER_LOG_LEVEL: 'debug',
    });
    expect(config).toEqual({
      databaseUrl: 'postgres://me:secret@db:5432/postrider?pgbouncer=true',
      workerAddresses: new Map([
        ['worker-1:5432', '10.0.0.7:6432'],
        ['worker-2:5432', '[fd00::8]:5432'],
      ]),
      dataDir: '/srv/postrider',
      host: '::',
      port: 0,
      operatorToken: 'token-of-an-operator',
      secretKey: '0123456789abcdef',
      roles: new Set(['api', 'worker']),
      processes: 4,
      defaultRegion: 'DE',
      isDemo: false,
      receiptTimeoutMs: 1_500,
      unknownTimeoutMs: 900_000,
      unsentTimeoutMs: 3 * 24 * 3_600_000,
      retentionMs: 400 * 24 * 3_600_000,
      webhookAllow: { names: expect.any(Function) },
      upstreamAllow: { names: expect.any(Function) },
      trustedProxies: { includes: expect.any(Function) },
      otlpEndpoint: 'https://collector:4318/otlp',
      traceRatio: 0.25,
      logLevel: 'debug',
      ignoredVariables: [],
    });
  });

  test('takes a database with several hosts', () => {
    const url = 'postgres://me@one:5433,two/postrider';
    expect(readConfig({ POSTRIDER_DATABASE_URL: url }).databaseUrl).toBe(url);
    expect(() => readConfig({ POSTRIDER_DATABASE_URL: 'postgres://me@one:5433,two:x/postrider' })).toThrow();
  });

  test('has the demo on with the embedded database only, by default', () => {
    const outside = { POSTRIDER_DATABASE_URL: 'postgres://db/postrider' };
    expect(readConfig({ POSTRIDER_DEMO: 'off' }).isDemo).toBe(false);
    expect(readConfig({ ...outside, POSTRIDER_DEMO: 'on' }).isDemo).toBe(true);
    expect(readConfig(outside).isDemo).toBe(false);
  });

  test('reports every problem at once, with what is allowed, and never a secret', () => {
    const problems = problemsOf({
      POSTRIDER_DATABASE_URL: 'mysql://me:hunter2@db/postrider',
      POSTRIDER_WORKER_ADDRESSES: 'worker-1=10.0.0.7',
      POSTRIDER_PORT: '65536',
      POSTRIDER_SECRET_KEY: 'hunter2',
      POSTRIDER_ROLES: 'api,cook',
      POSTRIDER_DEFAULT_REGION: 'XX',
      POSTRIDER_DEMO: 'yes',
      POSTRIDER_RECEIPT_TIMEOUT: '3 days',
      POSTRIDER_UNKNOWN_TIMEOUT: '0s',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318',
      OTEL_TRACES_SAMPLER_ARG: '1.5',
      POSTRIDER_LOG_LEVEL: 'loud',
    });
    expect(problems).toEqual([
      'POSTRIDER_DATABASE_URL must be a URL like postgres://user:password@host:5432/database.',
      'POSTRIDER_WORKER_ADDRESSES must be a list like worker-1:5432=10.0.0.7:5432, with commas between; it is "worker-1=10.0.0.7".',
      'POSTRIDER_PORT must be a whole number from 0 to 65535; it is "65536".',
      'POSTRIDER_SECRET_KEY must be at least 16 characters, best 32 random bytes in hexadecimal.',
      'POSTRIDER_ROLES must be a list of api, worker and channels, with commas between; it is "api,cook".',
      'POSTRIDER_DEFAULT_REGION must be a country code of two capital letters, like CN; it is "XX".',
      'POSTRIDER_DEMO must be on or off; it is "yes".',
      'POSTRIDER_RECEIPT_TIMEOUT must be a duration above zero, like 1500ms, 30s, 15m, 72h or 3d; it is "3 days".',
      'POSTRIDER_UNKNOWN_TIMEOUT must be a duration above zero, like 1500ms, 30s, 15m, 72h or 3d; it is "0s".',
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an address like http://127.0.0.1:4318; it is "collector:4318".',
      'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; it is "1.5".',
      'POSTRIDER_LOG_LEVEL must be one of fatal, error, warn, info, debug, trace and silent; it is "loud".',
    ]);
  });

  test.each([
    ['POSTRIDER_PROT', 'POSTRIDER_PORT'],
    ['POSTRIDER_DATABASE', 'POSTRIDER_DATABASE_URL'],
    ['POSTRIDER_DATADIR', 'POSTRIDER_DATA_DIR'],
    ['POSTRIDER_TOKEN', 'POSTRIDER_OPERATOR_TOKEN'],
  ])('takes %s for a misspelling of %s', (written, meant) => {
    expect(problemsOf({ [written]: '1' })).toEqual([`${written} is not known; did you mean ${meant}?`]);
  });

  test('lets variables that resemble none of its own be, and names them', () => {
    const env = { POSTRIDER_URL: 'http://localhost:8080', POSTRIDER_API_KEY: 'k', POSTRIDER_API_SECRET: 's' };
    expect(readConfig(env).ignoredVariables).toEqual(['POSTRIDER_API_KEY', 'POSTRIDER_API_SECRET', 'POSTRIDER_URL']);
  });

  test('is documented as it is', async () => {
    const page = await readFile(new URL('../../docs/configuration.md', import.meta.url), 'utf8');
    const rows = page.split('\n').filter((line) => /^\| `(POSTRIDER|OTEL)_/.test(line));
    const cells = rows.map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
    expect(cells).toEqual(
      Object.values(configFields).map((field) => [`\`${field.variable}\``, field.default, field.description]),
    );
  });
});
