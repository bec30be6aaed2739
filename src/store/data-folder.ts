import { chmod, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Creates the folder for its owner alone. One that is there already keeps its mode: it may not be ours to change. */
export async function createDataFolder(dataDir: string): Promise<void> {
  const path = resolve(dataDir);
  await mkdir(dirname(path), { recursive: true });
  try {
    await mkdir(path);
    // As root the database server runs as another user. It may pass through and see nothing: secrets have mode 0600.
    await chmod(path, process.getuid?.() === 0 ? 0o711 : 0o700);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
