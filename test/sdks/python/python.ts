// Python as it is on this machine. Where several are installed, one that has httpx.

import { join } from 'node:path';
import { checkout } from '../../support/service-process.js';
import { isUsable } from '../toolchain.js';

export const pythonFolder = join(checkout, 'sdks/python');

const found = ['python3', '/usr/bin/python3'].find((program) => isUsable([program, '-c', 'import httpx']));

export const python = found ?? 'python3';
export const missingPython = found === undefined ? 'python3 with httpx' : undefined;
/** For the package as it is in the checkout. */
export const pythonEnv = { PYTHONPATH: join(pythonFolder, 'src'), PYTHONDONTWRITEBYTECODE: '1' };
