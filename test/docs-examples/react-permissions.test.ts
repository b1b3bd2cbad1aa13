import { createElement } from 'react';
import { expect, test } from 'vitest';
import { PermissionsAt, Toolbar } from '../../docs/examples/react-permissions.tsx';
import { createPermissions, type Fetch } from '../../middleware/client/index.ts';
import { createClock } from '../support/world.ts';
import { render } from './tiny-react.ts';

/** The hooks of docs/examples draw what the server allows, and nothing before it has answered. */
function setUp() {
  const clock = createClock();
  const server = { permissions: ['grades'], owner: 'ann', isUp: true, requests: [] as string[] };
  const fetch: Fetch = async (url, { method, body }) => {
    server.requests.push(`${method} ${url}`);
    const { scope, resource } = body === undefined ? { scope: '', resource: undefined } : JSON.parse(body);
    const asked = new URL(url, 'http://localhost').searchParams.get('scope') ?? scope;
    const snapshot = { permissions: server.permissions, ask: ['records'], issuedAt: 0, expiresAt: 60_000 };
    const answer =
      method === 'GET'
        ? { scope: asked, ...snapshot }
        : { allowed: resource.properties.owner === server.owner };
    return { ok: server.isUp, status: server.isUp ? 200 : 503, json: async () => answer };
  };
  const permissions = createPermissions({ url: '/permissions', fetch, now: clock.now });
  const record = (owner: string) => ({ type: 'record', id: 'r1', properties: { owner } });
  const page = (owner = 'ann') => {
    const children = createElement(Toolbar, { record: record(owner) });
    const props = { permissions, scope: 'location:north', children };
    return createElement(PermissionsAt, props);
  };
  return { clock, server, permissions, page };
}

const BOTH = '<nav><a>Grades</a><button>Change</button></nav>';
const LINK = '<nav><a>Grades</a></nav>';
const NOTHING = '<nav></nav>';

test('nothing is drawn before the server has answered, then what it allows', async () => {
  const { page, server, permissions } = setUp();
  const drawn = render(page());
  expect(permissions.can('grades')).toBe(false);
  expect(await drawn.text()).toBe(BOTH);
  expect(server.requests[0]).toBe('GET /permissions?scope=location%3Anorth');
  expect(await render(setUp().page('ben')).text()).toBe(LINK);
});

test('a change of what is loaded is drawn', async () => {
  const { page, server, permissions } = setUp();
  const drawn = render(page());
  await drawn.text();
  server.permissions = [];
  await permissions.load('location:north');
  expect(await drawn.text()).toBe('<nav><button>Change</button></nav>');
  permissions.clear();
  expect(await drawn.text()).toBe(NOTHING);
});

test('what has expired is not drawn; it is loaded once, and drawn again', async () => {
  const { page, server, clock } = setUp();
  const drawn = render(page());
  await drawn.text();
  const before = server.requests.length;
  clock.advance(60_000);
  drawn.again();
  expect(await drawn.text()).toBe(BOTH);
  expect(server.requests.slice(before).filter((each) => each.startsWith('GET'))).toHaveLength(1);
  server.isUp = false;
  clock.advance(60_000);
  drawn.again();
  expect(await drawn.text()).not.toContain('Grades');
});
