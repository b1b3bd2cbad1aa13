import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { getRequestListener } from '@hono/node-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mcpEndpoint, mcpGuard } from '../../../middleware/mcp/index.ts';
import { createIssuer, goodClaims, ISSUER } from '../../authorizer/support.ts';
import { createMemoryWorld } from '../../support/world.ts';
import { everythingServer, PROMPTS, RESOURCES, TOOLS, withSessions } from './everything.ts';

/**
 * The conformance suite against one server: as it is, and behind a guard, as a resource server whose caller may not use
 * some of it.
 */
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const DENIED = ['test_image_content', 'static-binary', 'test_prompt_with_image'];
const open: Server[] = [];
afterAll(() => {
  for (const server of open) server.close();
});

type Serve = (request: Request) => Promise<Response>;

/** Refuses what a page of another host could send, as the suite asks of servers on this machine. */
async function listen(build: (url: string) => Serve): Promise<string> {
  let serve: Serve = async () => new Response(null, { status: 503 });
  const isLocal = (host: string | null) =>
    /^(?:https?:\/\/)?(?:localhost|127\.0\.0\.1)(?::\d+)?$/.test(host ?? '');
  const server = createServer(
    getRequestListener(async (request: Request) => {
      const { headers } = request;
      const isOurs = isLocal(headers.get('host')) && isLocal(headers.get('origin') ?? 'localhost');
      return isOurs ? serve(request) : new Response(null, { status: 403 });
    }),
  );
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}/mcp`;
  serve = build(url);
  return url;
}

/** What each check of the suite says, by its scenario. */
async function conformanceOf(url: string): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-conformance-'));
  const suite = join(ROOT, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const shim = join(ROOT, 'test/middleware/mcp/on-node-20.mjs');
  const run = ['--import', shim, suite, 'server', '--suite', 'all', '--url', url, '-o', folder];
  // It ends with 1 where a check fails.
  await promisify(execFile)(process.execPath, run).catch(() => undefined);
  const checks = readdirSync(folder).flatMap((each) => {
    const scenario = each.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, '');
    const found = JSON.parse(readFileSync(join(folder, each, 'checks.json'), 'utf8')) as {
      id: string;
      status: string;
    }[];
    return found
      .filter(({ status }) => status !== 'INFO')
      .map(({ id, status }) => [`${scenario} ${id}`, status]);
  });
  rmSync(folder, { recursive: true });
  return Object.fromEntries(checks.sort());
}

let bare: Record<string, string>;
let denying: Record<string, string>;

beforeAll(async () => {
  const world = createMemoryWorld();
  await world.apply(
    JSON.stringify({
      permissions: ['mcp:use:most', 'mcp:use:rest'],
      scopes: { acme: { id: 'acme', type: 'tenant' } },
      roles: { most: { owner: 'acme', allow: ['mcp:use:most'] } },
      users: { few: { id: 'few', grants: { acme: ['most'] } } },
    }),
  );
  world.settle();
  const engine = world.newEngine();
  const rules = (names: readonly string[]) =>
    Object.fromEntries(
      names.map((name) => {
        const permission = DENIED.includes(name) ? 'mcp:use:rest' : 'mcp:use:most';
        return [name, { permission, scope: 'tenant:acme' }];
      }),
    );
  const mapped = { engine, tools: rules(TOOLS), resources: rules(RESOURCES), prompts: rules(PROMPTS) };
  const issuer = await createIssuer();
  const now = Math.floor(world.clock.now() / 1_000);
  const claims = (aud: string) => goodClaims({ sub: 'few', aud, iat: now, exp: now + 3_600 });
  const withToken = (url: string): Serve => {
    const { clock } = world;
    const fetch = async () => Response.json({ keys: [issuer.jwk] });
    const serve = withSessions(() => everythingServer(mcpGuard(mapped)));
    const endpoint = mcpEndpoint({ engine, resource: url, issuers: { issuer: ISSUER }, clock, fetch }, serve);
    const token = issuer.token(claims(url));
    return async (request) => {
      request.headers.set('authorization', `Bearer ${await token}`);
      return endpoint(request);
    };
  };
  [bare, denying] = await Promise.all([
    conformanceOf(await listen(() => withSessions(() => everythingServer()))),
    conformanceOf(await listen(withToken)),
  ]);
});

const passed = (checks: Record<string, string>) =>
  Object.values(checks).filter((status) => status === 'SUCCESS').length;

test('a server says the same with a guard and a token, but for what its caller may not use', () => {
  expect(passed(bare)).toBeGreaterThanOrEqual(27);
  const others = Object.keys(bare).filter((check) => bare[check] !== denying[check]);
  expect(others).toEqual([
    'prompts-get-with-image prompts-get-with-image',
    'resources-read-binary resources-read-binary',
    'tools-call-image tools-call-image',
  ]);
});
