import assert from 'node:assert/strict';
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
import { startGatehouse } from '../process.ts';
import { manifestOfAll } from './large.ts';

/**
 * `gatehouse` in a process of its own: applies that are killed and run again.
 *
 *   node --import tsx test/cli/manifest/kill.ts --kills 50
 */
const AWS = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'x', AWS_SECRET_ACCESS_KEY: 'x' };

/**
 * Runs the command line; killed without warning `killAfterMs` after it has shown its plan. It lasts from the plan, which
 * an apply shows before it begins, to the end.
 */
export async function runProcess(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  killAfterMs?: number,
) {
  const { kill, shown, ended } = startGatehouse(await cliMain(), args, { ...AWS, ...env });
  await shown;
  const shownAt = Date.now();
  if (killAfterMs !== undefined) setTimeout(kill, killAfterMs).unref();
  const ran = await ended;
  return { ...ran, lastedMs: Date.now() - shownAt };
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
  const completed = async (file: string, env: Readonly<Record<string, string>>) => {
    const ran = await runProcess(['apply', file, '--yes'], env);
    if (ran.code !== 0) throw new Error(`${ran.out.slice(-2_000)}${ran.error.slice(-2_000)}`);
    return ran;
  };
  try {
    const kills = Number(args[args.indexOf('--kills') + 1]);
    const file = join(folder, 'all.json');
    writeFileSync(file, manifestOfAll());
    const undisturbed = await newTable();
    let { lastedMs } = await completed(file, undisturbed);
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
      await completed(file, env);
      assert.deepEqual(await stateOf(file, env), expected);
      const seconds = Math.round((Date.now() - began) / 1000);
      say(`${killed} kills of a running apply, ${rounds} tables, ${seconds} s: the same state`);
    }
  } finally {
    rmSync(folder, { recursive: true });
    await engine.stop();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
