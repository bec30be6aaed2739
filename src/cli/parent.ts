/** How often a command that npm started looks whether npm is still there. */
const lookMs = 500;

/**
 * `npx` that is killed takes only its own shell along; the command itself would run on, unseen, with its ports taken. Only
 * where npm started it: a command that a shell put into the background may well outlive that shell. Returns a stop.
 */
export function watchParent(
  env: Readonly<Record<string, string | undefined>>,
  readParentId: () => number,
  onOrphaned: () => void,
): () => void {
  if (env.npm_command !== 'exec') return () => {};
  const parentId = readParentId();
  const timer = setInterval(() => {
    if (readParentId() === parentId) return;
    clearInterval(timer);
    onOrphaned();
  }, lookMs);
  timer.unref();
  return () => clearInterval(timer);
}
