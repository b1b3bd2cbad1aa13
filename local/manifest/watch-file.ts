import { unwatchFile, watch, watchFile as watchStatus } from 'node:fs';
import { basename, dirname } from 'node:path';

const POLLED_EVERY_MS = 1_000;
/** An editor may write a file in several steps. */
const QUIET_MS = 50;

/**
 * Calls `onChange` after a file was written, replaced or removed: by the events of its folder, because editors replace
 * files, and by polling where the file system reports no events (network drives, containers).
 *
 * @returns stops watching
 */
export function watchFile(path: string, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const note = (): void => {
    clearTimeout(timer);
    timer = setTimeout(onChange, QUIET_MS);
  };
  watchStatus(path, { interval: POLLED_EVERY_MS }, note);
  const stops = [() => unwatchFile(path, note), () => clearTimeout(timer)];
  try {
    const watcher = watch(dirname(path), (_, name) => {
      if (name === null || name === basename(path)) note();
    });
    watcher.on('error', () => watcher.close());
    stops.push(() => watcher.close());
  } catch {
    // Polling is enough.
  }
  return () => {
    for (const stop of stops) stop();
  };
}
