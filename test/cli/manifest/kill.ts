import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ulid } from 'ulid';
import { startEmbeddedEngine } from '../../../cli/embedded-engine.ts';
import { createServiceClient } from '../../../table/client.ts';
import { createTable } from '../../../table/definition.ts';
import { largeManifest } from './large.ts';

/**
 * `gatehouse` in a process of its own: how long a large apply takes, and applies that are killed.
 *
 *   node --import tsx test/cli/manifest/kill.ts --large
 *   node --import tsx test/cli/manifest/kill.ts --kills 50
 */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
  /** From the plan, which an apply shows before it begins, to the end. */
  readonly lastedMs: number;
}

/** Runs the command line; killed without warning `killAfterMs` after it has shown its plan. */
export function runProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  killAfterMs?: number,
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'cli/main.ts', ...args], {
      cwd: ROOT,
      env: {
        ...process.env,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'x',
        AWS_SECRET_ACCESS_KEY: 'x',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let error = '';
    let shownAt = 0;
    child.stdout.on('data', (chunk) => {
      if (shownAt === 0) {
        shownAt = Date.now();
        if (killAfterMs !== undefined) setTimeout(() => child.kill('SIGKILL'), killAfterMs).unref();
      }
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      error += chunk;
    });
    child.once('error', reject);
    child.once('exit', (code) => resolve({ code, out, error, lastedMs: Date.now() - shownAt }));
  });
}

async function main(args: readonly string[]): Promise<void> {
  const engine = await startEmbeddedEngine();
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-manifest-'));
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  const newTable = async () => {
    const table = `manifest-${ulid()}`;
    await createTable(createServiceClient({ endpoint: engine.endpoint, requestTimeoutMs: 20_000 }), table);
    return { TABLE_NAME: table, DYNAMODB_ENDPOINT: engine.endpoint };
  };
  const timed = async (what: string, work: Promise<Ran>, expected: number) => {
    const began = Date.now();
    const ran = await work;
    say(`${what}: ${((Date.now() - began) / 1000).toFixed(1)} s, exit ${ran.code}`);
    if (ran.code !== expected) throw new Error(`${ran.out.slice(-2_000)}${ran.error.slice(-2_000)}`);
    return ran;
  };
  try {
    if (args.includes('--large')) {
      const file = join(folder, 'large.json');
      writeFileSync(file, largeManifest());
      const env = await newTable();
      await timed('plan of an empty table', runProcess(['plan', file], env), 1);
      const { out } = await timed('apply', runProcess(['apply', file, '--yes'], env), 0);
      say(out.trimEnd().split('\n').at(-1) ?? '');
      await timed('second plan', runProcess(['plan', file], env), 0);
      await timed(
        'export',
        runProcess(['export', '--api', 'acme', '--output', join(folder, 'out.yaml')], env),
        0,
      );
    }
    const kills = Number(args[args.indexOf('--kills') + 1] ?? 0);
    if (args.includes('--kills')) {
      const file = join(folder, 'small.json');
      writeFileSync(file, largeManifest({ users: 40, groups: 12, roles: 6, scopes: 14 }));
      const undisturbed = await newTable();
      const { lastedMs } = await timed(
        'undisturbed apply',
        runProcess(['apply', file, '--yes'], undisturbed),
        0,
      );
      const final = (await runProcess(['export', '--api', 'acme'], undisturbed)).out;
      let done = 0;
      let cut = 0;
      while (done < kills) {
        const env = await newTable();
        // Several kills of one apply, until it comes to its end.
        for (let times = 0; done < kills && times < 4; times++) {
          const { code } = await runProcess(['apply', file, '--yes'], env, lastedMs * Math.random() * 0.6);
          done += 1;
          if (code === null) cut += 1;
        }
        const ended = await runProcess(['apply', file, '--yes'], env);
        const planned = await runProcess(['plan', file], env);
        const same = (await runProcess(['export', '--api', 'acme'], env)).out === final;
        if (ended.code !== 0 || planned.code !== 0 || !same)
          throw new Error(
            `after kills: exit ${ended.code}, plan ${planned.code}, the same state: ${same}\n${ended.error}`,
          );
        say(`${done} kills, ${cut} of a running apply: the same state`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
    await engine.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
