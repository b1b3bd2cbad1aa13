import { existsSync, readFileSync } from 'node:fs';

/** The version of the package: package.json stands beside `cli` in a clone, above `dist` in the package. */
export function readVersion(): string {
  for (const path of ['../package.json', '../../package.json']) {
    const file = new URL(path, import.meta.url);
    if (existsSync(file))
      return String((JSON.parse(readFileSync(file, 'utf8')) as { version: unknown }).version);
  }
  return 'unknown';
}
