import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { BuildOptions } from 'esbuild';
import type { PolicyAnswer } from '../../authorizer/answer.ts';
import { bundle } from '../../deploy/bundle/build.ts';
import { temporaryFolder } from '../harness/folder.ts';
import { methodArnOf, restEvent } from '../model/events.ts';
import { createTokenSource, serveKeys, TOKEN_ENVIRONMENT } from '../model/tokens.ts';
import { idOf, visitOf } from '../model/visits.ts';
import { chainOf, createBenchWorld, drawQuestions, type Question } from '../model/world.ts';
import { createTableFor } from './authorizer.ts';
import type { Limit } from './limited.ts';

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
    used ??= process.cpuUsage();
  }
  const processor = (used.user + used.system) / 1_000;
  process.stdout.write(JSON.stringify({ loaded, init, processor, asked }), () => process.exit(0));
};
start();`;

/** Milliseconds. */
interface Printed {
  /** From the start of the process until the file had run. */
  readonly loaded: number;
  /** From the start of the process until the runtime would ask for an event. */
  readonly init: number;
  /** Processor time until the first answer. */
  readonly processor: number;
  readonly asked: readonly { readonly ms: number; readonly answer?: PolicyAnswer }[];
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
  const visits = await Promise.all(
    [first, second].map(async (question) => visitOf(question, await source.token(idOf(question.subject)))),
  );
  const arns = visits.map(methodArnOf);
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
    ...TOKEN_ENVIRONMENT,
    PATH: process.env.PATH ?? '',
    AWS_REGION: 'eu-central-1',
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
    TABLE_NAME: table,
    DYNAMODB_ENDPOINT: endpoint,
    TOKEN_JWKS_URL: keys.url,
    POLICY_COVERS: 'route',
  };

  /**
   * Starts a file, and sends it events.
   *
   * @param limit of the processor, for the time after the start: for that Lambda lends a whole one
   */
  async function start(file: keyof typeof files, limit?: Limit) {
    const child = spawn(process.execPath, [runner, files[file], events], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'readable');
    limit?.put(child.pid as number);
    child.stdin.end('.');
    const { asked, ...times } = JSON.parse((await text(child.stdout)).slice(1)) as Printed;
    for (const [position, { answer }] of asked.entries()) {
      const [statement] = answer?.policyDocument.Statement ?? [];
      const isRight = statement?.Effect === 'Allow' && statement.Resource === arns[position];
      if (!isRight && file !== 'empty') throw new Error(`wrong answer: ${JSON.stringify(answer)}`);
    }
    const [cold = 0, second = 0] = asked.map(({ ms }) => ms);
    return { ...times, cold, first: times.init + cold, second };
  }

  return { ours, theirs, start, stop: keys.stop };
}
