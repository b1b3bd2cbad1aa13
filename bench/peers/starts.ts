import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BuildOptions } from 'esbuild';
import type { PolicyAnswer } from '../../authorizer/answer.ts';
import { bundle } from '../../bundle/build.ts';
import { sendJson } from '../../local/gateway/http.ts';
import { listen } from '../../local/server.ts';
import { methodArnOf, restEvent, type Visit } from '../model/events.ts';
import { AUDIENCE, createTokenSource, ISSUER } from '../model/tokens.ts';
import { idOf } from '../model/visits.ts';
import { createBenchWorld, drawQuestions } from '../model/world.ts';
import { createTableFor } from './authorizer.ts';

const run = promisify(execFile);

/** serverless-esbuild 1.57 for nodejs24.x without `custom.esbuild` (its README, "Options"). */
const DEFAULTS: BuildOptions = { bundle: true, target: 'node24', platform: 'node', external: ['aws-sdk'] };

/**
 * Prints when the handler was loaded, in milliseconds since its process began; with an event, also its
 * answers' times.
 */
const RUNNER = `
const { handler } = require(process.argv[2]);
const loaded = performance.now();
if (typeof handler !== 'function') throw new Error('no handler');
const event = process.argv[3] && JSON.parse(require('node:fs').readFileSync(process.argv[3], 'utf8'));
const print = (times) => process.stdout.write(JSON.stringify(times), () => process.exit(0));
const ask = async () => {
  const asked = performance.now();
  const answer = await handler(event);
  const first = performance.now();
  await handler(event);
  print({ loaded, first, cold: first - asked, again: performance.now() - first, answer });
};
event ? ask() : print({ loaded });`;

/** Milliseconds; all but `loaded` only with an event. */
export interface Start {
  readonly loaded: number;
  readonly first: number;
  readonly cold: number;
  readonly again: number;
}

/** Writes the bundles to files, and starts a table and an issuer for them. */
export async function createStarts(endpoint: string) {
  const world = createBenchWorld();
  const source = await createTokenSource('RS256');
  const { table } = await createTableFor(world, endpoint);
  const question = drawQuestions(world, 20).find(({ allowed }) => allowed);
  if (!question) throw new Error('no question is allowed');
  const visit: Visit = {
    building: idOf(question.scope),
    page: question.permission,
    token: await source.token(idOf(question.subject)),
  };
  const issuer = await listen(0, 'PORT');
  issuer.serve((_, outgoing) => sendJson(outgoing, 200, { keys: [source.jwk] }));
  const ours = await bundle('authorizer/handler.ts');
  const theirs = await bundle('authorizer/handler.ts', DEFAULTS);

  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-startup-'));
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  const runner = write('runner.cjs', RUNNER);
  const event = write('event.json', JSON.stringify(restEvent(visit)));
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
    TOKEN_JWKS_URL: `http://127.0.0.1:${issuer.port}/keys`,
    POLICY_COVERS: 'route',
  };

  /** Starts a bundle without an event. There is no table: the load of routes gets no answer. */
  async function startAlone(file: keyof typeof files): Promise<number> {
    const without = { ...env, DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' };
    const { stdout } = await run(process.execPath, [runner, files[file]], { env: without });
    return (JSON.parse(stdout) as Start).loaded;
  }

  /** Starts our bundle with a table and an issuer, and sends it an event at once. */
  async function startAndAsk(): Promise<Start> {
    const { stdout } = await run(process.execPath, [runner, files.ours, event], {
      env: { ...env, DYNAMODB_ENDPOINT: endpoint },
    });
    const { answer, ...start } = JSON.parse(stdout) as Start & { readonly answer: PolicyAnswer };
    const [statement] = answer.policyDocument.Statement;
    if (statement?.Effect !== 'Allow' || statement.Resource !== methodArnOf(visit))
      throw new Error(`wrong first answer: ${JSON.stringify(answer)}`);
    return start;
  }

  return {
    ours,
    theirs,
    startAlone,
    startAndAsk,
    stop: async () => {
      await issuer.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
