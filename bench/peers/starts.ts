import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { BuildOptions } from 'esbuild';
import type { PolicyAnswer } from '../../authorizer/answer.ts';
import { bundle } from '../../deploy/bundle/build.ts';
import { temporaryFolder } from '../harness/folder.ts';
import { methodArnOf, restEvent, type Visit } from '../model/events.ts';
import { AUDIENCE, createTokenSource, ISSUER, serveKeys } from '../model/tokens.ts';
import { idOf } from '../model/visits.ts';
import { chainOf, createBenchWorld, drawQuestions, type Question } from '../model/world.ts';
import { createTableFor } from './authorizer.ts';
import type { Limit } from './limited.ts';

const run = promisify(execFile);

/** serverless-esbuild 1.57 for nodejs24.x without `custom.esbuild` (its README, "Options"). */
const DEFAULTS: BuildOptions = { bundle: true, target: 'node24', platform: 'node', external: ['aws-sdk'] };

/**
 * What Lambda's runtime does: loads the handler, which may take as long as it likes, says that it has, and waits
 * for events. Prints milliseconds: since the process began, then of each event.
 */
const RUNNER = `
const { readFileSync, readSync, writeSync } = require('node:fs');
const start = async () => {
  const exported = require(process.argv[2]);
  const loaded = performance.now();
  if (process.argv[3] === undefined) return print({ loaded, processor: processor(), asked: [] });
  const { handler } = await exported;
  const init = performance.now();
  const events = JSON.parse(readFileSync(process.argv[3], 'utf8'));
  // The parent may now limit the processor, and lets this go on by a byte.
  writeSync(1, '.');
  readSync(0, Buffer.alloc(1));
  const asked = [];
  // Of the whole process until the first answer.
  let used;
  for (const event of events) {
    const began = performance.now();
    const answer = await handler(event);
    asked.push({ ms: performance.now() - began, answer });
    used ??= processor();
  }
  print({ loaded, init, processor: used, asked });
};
const processor = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};
const print = (times) => process.stdout.write(JSON.stringify(times), () => process.exit(0));
start();`;

/** Milliseconds. */
export interface Start {
  /** From the start of the process until the file had run. */
  readonly loaded: number;
  /** From the start of the process until the runtime would ask for an event. */
  readonly init: number;
  /** The first decision, and the first answer since the process began. */
  readonly cold: number;
  readonly first: number;
  /** Processor time until the first answer. */
  readonly processor: number;
  /** The decision of another user elsewhere, with the same reads. */
  readonly second: number;
}

interface Printed extends Pick<Start, 'processor' | 'loaded' | 'init'> {
  readonly asked: readonly { readonly ms: number; readonly answer: PolicyAnswer }[];
}

/** Writes the bundles to files, and starts a table and an issuer for them. */
export async function createStarts(endpoint: string) {
  const world = createBenchWorld();
  const source = await createTokenSource('RS256');
  const { table } = await createTableFor(world, endpoint);
  // Of two tenants: they have no item in common but what every decision reads.
  const allowed = drawQuestions(world, 200).filter((question) => question.allowed);
  const tenantOf = ({ scope }: Question) => chainOf(world.places, scope).at(-1);
  const [first] = allowed as [Question];
  const isElsewhere = (other: Question): boolean =>
    tenantOf(other) !== tenantOf(first) && other.permission !== first.permission;
  const second = allowed.find(isElsewhere) as Question;
  const visits: readonly Visit[] = await Promise.all(
    [first, second].map(async ({ scope, permission, subject }) => ({
      building: idOf(scope),
      page: permission,
      token: await source.token(idOf(subject)),
    })),
  );
  const keys = await serveKeys(source);
  const ours = await bundle('authorizer/handler.ts');
  const theirs = await bundle('authorizer/handler.ts', DEFAULTS);

  const folder = temporaryFolder('startup');
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const runner = write('runner.cjs', RUNNER);
  const events = write('events.json', JSON.stringify(visits.map(restEvent)));
  const files = {
    ours: write('ours.cjs', ours.text),
    defaults: write('defaults.cjs', theirs.text),
    empty: write('empty.cjs', 'exports.handler = () => {};'),
  };
  const env = {
    PATH: process.env.PATH ?? '',
    AWS_REGION: 'eu-central-1',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    TABLE_NAME: table,
    RESULT_CACHE: '{"default":{"ttl":0}}',
    TOKEN_ISSUER: ISSUER,
    TOKEN_AUDIENCE: AUDIENCE,
    TOKEN_JWKS_URL: keys.url,
    POLICY_COVERS: 'route',
  };

  /** Starts a bundle, and does not wait for what it does beside. There is no table. */
  async function startAlone(file: keyof typeof files): Promise<Pick<Start, 'loaded' | 'processor'>> {
    const without = { ...env, DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' };
    const { stdout } = await run(process.execPath, [runner, files[file]], { env: without });
    return JSON.parse(stdout) as Printed;
  }

  /**
   * Starts our bundle with a table and an issuer, and sends it events.
   *
   * @param limit of the processor, for the time after the start: for that Lambda lends a whole one
   */
  async function startAndAsk(limit?: Limit): Promise<Start> {
    const child = spawn(process.execPath, [runner, files.ours, events], {
      env: { ...env, DYNAMODB_ENDPOINT: endpoint },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'readable');
    limit?.put(child.pid as number);
    child.stdin.end('.');
    const { loaded, init, processor, asked } = JSON.parse((await text(child.stdout)).slice(1)) as Printed;
    for (const [position, { answer }] of asked.entries()) {
      const [statement] = answer.policyDocument.Statement;
      if (statement?.Effect !== 'Allow' || statement.Resource !== methodArnOf(visits[position] as Visit))
        throw new Error(`wrong answer: ${JSON.stringify(answer)}`);
    }
    const [cold = 0, second = 0] = asked.map(({ ms }) => ms);
    return { loaded, init, processor, cold, first: init + cold, second };
  }

  return {
    ours,
    theirs,
    startAlone,
    startAndAsk,
    stop: keys.stop,
  };
}
