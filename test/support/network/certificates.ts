// Certificates for tests of TLS, made by openssl.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

export interface Authority {
  /** In PEM; the file is there until `remove`. */
  readonly certFile: string;
  /** A certificate for these names, such as `IP:127.0.0.1` or `DNS:sms.test`. */
  issue(names: string): Certificate;
  remove(): void;
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];

export function createAuthority(name: string): Authority {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-ca-'));
  const fileOf = (file: string) => join(folder, file);
  const openssl = (...words: string[]) => execFileSync('openssl', words, { stdio: 'ignore' });
  const [caKey, caCert] = [fileOf('ca.key'), fileOf('ca.pem')];
  openssl('req', '-x509', ...KEY, '-subj', `/CN=${name}`, '-keyout', caKey, '-out', caCert);
  return {
    certFile: caCert,
    issue(names) {
      const [key, cert] = [fileOf('server.key'), fileOf('server.pem')];
      const extensions = ['-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=CA:FALSE'];
      const signedBy = ['-CA', caCert, '-CAkey', caKey];
      openssl(
        'req',
        '-x509',
        ...KEY,
        '-subj',
        '/CN=upstream',
        ...extensions,
        ...signedBy,
        '-keyout',
        key,
        '-out',
        cert,
      );
      return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
