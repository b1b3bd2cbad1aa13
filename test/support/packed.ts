import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Packs the package as a release does, which builds it, and installs the tarball: `INSTALLED/node_modules` holds it with its
 * dependencies, and nothing that only this repository depends on.
 */
export default function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-packed-'));
  const run = (command: string, ...options: string[]): string =>
    execFileSync(command, options, { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  run('npm', 'pack', '--silent', '--pack-destination', folder);
  const [name = ''] = readdirSync(folder);
  const tarball = join(folder, name);
  const modules = join(folder, 'installed', 'node_modules');
  mkdirSync(modules, { recursive: true });
  run('tar', '-xzf', tarball, '-C', modules);
  renameSync(join(modules, 'package'), join(modules, 'gatehouse-authz'));
  for (const each of productionPackages())
    cpSync(join(ROOT, each), join(folder, 'installed', each), { recursive: true });
  project.provide('tarball', tarball);
  project.provide('installed', join(folder, 'installed'));
  return () => rmSync(folder, { recursive: true, force: true });
}

/** What a production install brings, by the lock file: `node_modules/…`. */
function productionPackages(): readonly string[] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<
      Record<string, { dev?: boolean; optional?: boolean; link?: boolean; devOptional?: boolean }>
    >;
  };
  return Object.entries(packages)
    .filter(
      ([path, { dev, optional, devOptional, link }]) =>
        path.startsWith('node_modules/') && !(dev || optional || devOptional || link),
    )
    .map(([path]) => path);
}

/** Links a package of this repository into a folder `node_modules`. */
export function link(name: string, modules: string, as = name): void {
  mkdirSync(dirname(join(modules, as)), { recursive: true });
  symlinkSync(join(ROOT, 'node_modules', name), join(modules, as));
}

declare module 'vitest' {
  export interface ProvidedContext {
    /** The packed tarball. Empty but in the tier of the package. */
    tarball: string;
    /** A folder in whose `node_modules` the tarball is installed. */
    installed: string;
  }
}
