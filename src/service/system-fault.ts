// Explains errors of the operating system in a sentence. An errno says neither what was tried nor what to do.

import { resolve, sep } from 'node:path';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'this user has no permission',
  EPERM: 'this user has no permission',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder, not a file',
  ENOENT: 'it does not exist',
  EEXIST: 'a file is there already',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'too many files are open',
};

/** Undefined if the error is not about a file, a folder or a port. */
export function explainSystemFault(error: unknown): string | undefined {
  const { code, path, syscall, address, port } = (error ?? {}) as NodeJS.ErrnoException & ListenFault;
  if (code === 'EADDRINUSE')
    return `Port ${port} of ${address} is in use by another program. Choose another with --port.`;
  const reason = reasons[code ?? ''];
  if (reason === undefined || path === undefined) return undefined;
  return `${path} cannot be ${describeAttempt(syscall)}: ${reason}.`;
}

/** Whether the error is about this folder, something in it, or a folder above it. */
export function isFaultOfFolder(error: unknown, folder: string): boolean {
  const { path } = (error ?? {}) as NodeJS.ErrnoException;
  if (path === undefined) return false;
  const [inner, outer] = [`${resolve(path)}${sep}`, `${resolve(folder)}${sep}`];
  return inner.startsWith(outer) || outer.startsWith(inner);
}

/** Why a start failed, and, if known, what to do about it. */
export function explainFailedStart(error: unknown, dataDir: string): string {
  const reason = explainSystemFault(error) ?? (error instanceof Error ? error.message : String(error));
  const advice = isFaultOfFolder(error, dataDir)
    ? ' Choose another data folder: npm start -- --data-dir PATH, or POSTRIDER_DATA_DIR=PATH in the environment.'
    : '';
  return `${reason}${advice}`;
}

interface ListenFault {
  readonly address?: string;
  readonly port?: number;
}

function describeAttempt(syscall: string | undefined): string {
  if (syscall === 'mkdir' || syscall === 'mkdtemp') return 'created';
  if (syscall === 'scandir' || syscall === 'read' || syscall === 'stat' || syscall === 'lstat') return 'read';
  if (syscall === 'write' || syscall === 'rename' || syscall === 'link' || syscall === 'chmod') return 'written';
  return 'opened';
}
