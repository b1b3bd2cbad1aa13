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
 * Says when the handler could take an event, in milliseconds since its process began; when it is given one, also when
 * it had answered, and the next one.
 */
const RUNNER = `
const { handler } = require(process.argv[2]);
const ready = performance.now();
if (typeof handler !== 'function') throw new Error('no handler');
const event = process.argv[3] && JSON.parse(require('node:fs').readFileSync(process.argv[3], 'utf8'));
const say = (said) => process.stdout.write(JSON.stringify(said), () => process.exit(0));
const ask = async () => {
  const asked = performance.now();
  const answer = await handler(event);
  const first = performance.now();
  await handler(event);
  say({ ready, first, cold: first - asked, again: performance.now() - first, answer });
};
event ? ask() : say({ ready });`;

/** Milliseconds; all but the first only where there was an event to answer. */
export interface Start {
  readonly ready: number;
  readonly first: number;
  readonly cold: number;
  readonly again: number;
}

/** The bundles that are started, in files of their own, and a table and an issuer for them. */
export async function createStarts(endpoint: string) {
  const world = createBenchWorld();
  const source = await createTokenSource('RS256');
  const { table } = await createTableFor(world, endpoint);
  const question = drawQuestions(world, 20).find(({ allowed }) => allowed);
  if (!question) throw new Error('nothing is allowed');
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

  /** Starts one that is asked nothing. No table is there: the load of routes that begins with it gets no answer. */
  async function startAlone(file: keyof typeof files): Promise<number> {
    const without = { ...env, DYNAMODB_ENDPOINT: 'http://127.0.0.1:1' };
    const { stdout } = await run(process.execPath, [runner, files[file]], { env: without });
    return (JSON.parse(stdout) as Start).ready;
  }

  /** Starts ours, with all that it needs, and asks it at once. */
  async function startAndAsk(): Promise<Start> {
    const { stdout } = await run(process.execPath, [runner, files.ours, event], {
      env: { ...env, DYNAMODB_ENDPOINT: endpoint },
    });
    const { answer, ...start } = JSON.parse(stdout) as Start & { readonly answer: PolicyAnswer };
    const [statement] = answer.policyDocument.Statement;
    if (statement?.Effect !== 'Allow' || statement.Resource !== methodArnOf(visit))
      throw new Error(`a handler that just started answers ${JSON.stringify(answer)}`);
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
