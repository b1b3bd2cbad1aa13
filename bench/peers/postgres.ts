import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { freePort } from '../../local/embedded-engine.ts';

export interface Postgres {
  /** The URI of a new, empty database. */
  readonly createDatabase: (name: string) => string;
  readonly stop: () => Promise<void>;
}

const USER = 'postgres';
const PATIENCE_MS = 30_000;
const STEP_MS = 100;

/** Where Debian puts its programs; another folder in `POSTGRES_BIN`. */
const DEBIAN = '/usr/lib/postgresql';

/**
 * A PostgreSQL server of its own, with the settings that it has by default, in a folder that goes with it. It refuses
 * to run as root: then it runs as the user that its package makes.
 *
 * @throws Error if PostgreSQL is not installed, or does not start
 */
export async function startPostgres(): Promise<Postgres> {
  const bin = binaries();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-postgres-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(folder, idOf('-u'), idOf('-g'));
  const asUser = (command: string, words: readonly string[]): readonly [string, readonly string[]] =>
    isRoot ? ['runuser', ['-u', USER, '--', join(bin, command), ...words]] : [join(bin, command), words];
  const run = (command: string, ...words: string[]): void => {
    const [program, all] = asUser(command, words);
    execFileSync(program, all, { stdio: 'ignore', cwd: folder });
  };
  const port = await freePort();
  const data = join(folder, 'data');
  run('initdb', '--pgdata', data, '--username', USER, '--auth', 'trust');
  const [program, words] = asUser('postgres', [
    '-D',
    data,
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    `unix_socket_directories=${folder}`,
    // SpiceDB follows changes by it, and asks for it.
    '-c',
    'track_commit_timestamp=on',
  ]);
  const server = spawn(program, words, { stdio: 'ignore', cwd: folder });
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
  const at = ['--host', '127.0.0.1', '--port', String(port), '--username', USER];
  const stop = async (): Promise<void> => {
    run('pg_ctl', 'stop', '--pgdata', data, '--mode', 'fast');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  for (let waited = 0; ; waited += STEP_MS) {
    try {
      run('pg_isready', ...at.slice(0, 4));
      break;
    } catch (error) {
      if (waited >= PATIENCE_MS) throw new Error('PostgreSQL does not start', { cause: error });
      await after(STEP_MS);
    }
  }
  return {
    createDatabase: (name) => {
      run('createdb', ...at, name);
      return `postgres://${USER}@127.0.0.1:${port}/${name}?sslmode=disable`;
    },
    stop,
  };
}

function binaries(): string {
  if (process.env.POSTGRES_BIN) return process.env.POSTGRES_BIN;
  try {
    const newest = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a))[0];
    if (newest !== undefined) return join(DEBIAN, newest, 'bin');
  } catch {
    // Not Debian's package, or none.
  }
  throw new Error('PostgreSQL is not installed: `apt-get install postgresql`, or its folder in POSTGRES_BIN');
}

const idOf = (flag: '-u' | '-g'): number =>
  Number(execFileSync('id', [flag, USER], { encoding: 'utf8' }).trim());
