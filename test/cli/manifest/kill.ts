import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ulid } from 'ulid';
import { runProgram } from '../../../cli/program.ts';
import { startEmbeddedEngine } from '../../../local/embedded-engine.ts';
import { derivedId } from '../../../provisioning/apply/entry.ts';
import { createServiceClient } from '../../../table/dynamodb/client.ts';
import { createTable } from '../../../table/dynamodb/definition.ts';
import { createReader } from '../../../table/dynamodb/reader.ts';
import { createWriter } from '../../../table/dynamodb/writer.ts';
import { appliedKey, applyKey } from '../../../table/keys.ts';
import { cliMain } from '../../support/cli-process.ts';
import { largeManifest, manifestOfAll } from './large.ts';

/**
 * `gatehouse` in a process of its own: how long a large apply takes, and applies that are killed and run again.
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
export async function runProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  killAfterMs?: number,
): Promise<Ran> {
  const main = await cliMain();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [main, ...args], {
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

/** What a table has in the end: nothing is left to do, everything in it agrees, and an export says what it is. */
export async function stateOf(file: string, env: Readonly<Record<string, string>>) {
  const run = async (...args: readonly string[]) => {
    const reported: string[] = [];
    const record = (text: string) => void reported.push(text);
    const code = await runProgram(args, {
      env,
      out: record,
      error: record,
      isTerminal: false,
      now: Date.now,
    });
    return { isFine: code === 0, reported: reported.join('') };
  };
  const [planned, verified] = [await run('plan', file), await run('verify')];
  return {
    planned: planned.isFine ? 'nothing to do' : planned.reported,
    verified: verified.isFine ? 'nothing is wrong' : verified.reported,
    exported: (await run('export', '--api', 'default', '--api', 'acme')).reported,
  };
}

/** As if a minute had passed since an apply of the tenant acme was killed: another one may begin. */
export async function afterAMinute(env: {
  readonly TABLE_NAME: string;
  readonly DYNAMODB_ENDPOINT: string;
}): Promise<void> {
  const client = createServiceClient({ endpoint: env.DYNAMODB_ENDPOINT, requestTimeoutMs: 20_000 });
  const on = { client, table: env.TABLE_NAME };
  const root = { type: 'tenant', id: await derivedId('tenant', '', 'acme') };
  const last = await createReader(on).get(appliedKey(root));
  if (last) await createWriter(on).send([{ kind: 'delete', key: applyKey(String(last.apply)) }]);
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
    const kills = args.includes('--kills') ? Number(args[args.indexOf('--kills') + 1]) : 0;
    if (kills > 0) {
      const file = join(folder, 'all.json');
      writeFileSync(file, manifestOfAll());
      const undisturbed = await newTable();
      let { lastedMs } = await timed(
        'undisturbed apply',
        runProcess(['apply', file, '--yes'], undisturbed),
        0,
      );
      const { exported } = await stateOf(file, undisturbed);
      const expected = { planned: 'nothing to do', verified: 'nothing is wrong', exported };
      const began = Date.now();
      for (let killed = 0, rounds = 1; killed < kills; rounds++) {
        const env = await newTable();
        // One to four kills of one apply, until it comes to its end.
        const most = Math.min(killed + 1 + Math.floor(Math.random() * 4), kills);
        for (let leftMs = lastedMs; killed < most; ) {
          const killAfterMs = leftMs * Math.random() * 0.8;
          const ran = await runProcess(['apply', file, '--yes'], env, killAfterMs);
          if (ran.code !== null) {
            // The machine is faster now than it was when nothing disturbed.
            if (leftMs === lastedMs) lastedMs = Math.min(lastedMs, ran.lastedMs);
            break;
          }
          killed += 1;
          await afterAMinute(env);
          leftMs -= killAfterMs;
        }
        await timed('the last apply', runProcess(['apply', file, '--yes'], env), 0);
        assert.deepEqual(await stateOf(file, env), expected);
        const seconds = Math.round((Date.now() - began) / 1000);
        say(`${killed} kills of a running apply, ${rounds} tables, ${seconds} s: the same state`);
      }
    }
  } finally {
    rmSync(folder, { recursive: true });
    await engine.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
