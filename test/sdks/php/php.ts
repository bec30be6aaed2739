// PHP as it is on this machine, with the interfaces of PSR-7 and PSR-18 where Debian has them.

import { join } from 'node:path';
import { checkout } from '../../support/service-process.js';
import { findMissing } from '../toolchain.js';

export const phpFolder = join(checkout, 'sdks/php');

const probe = `exit(PHP_VERSION_ID >= 80100 && function_exists('curl_init') && function_exists('mb_strlen')
  && (include 'Psr/Http/Client/autoload.php') !== false ? 0 : 1);`;

export const missingPhp = findMissing({ 'php 8.1 with curl, mbstring and php-psr-http-client': ['php', '-r', probe] });
