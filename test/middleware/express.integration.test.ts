import { get } from 'node:http';
import express from 'express';
import { expect, test } from 'vitest';
import {
  type Authorization,
  authorizationOf,
  type ExpressRequest,
  expressGuard,
  type Where,
} from '../../middleware/index.ts';
import { createDeferred } from '../support/deferred.ts';
import { listen } from '../support/listening.ts';
import { createSchool } from './support.ts';

/** What is special about Express: mounted routers, routers' own errors, clients that leave, time limits. */
const school = await createSchool();
const headers: Record<string, string> = {
  authorization: `Bearer ${await school.tokenOf('ann')}`,
  'user-agent': 'test/1.0',
};

/** An engine that answers when it is released, and a guard with it. */
function setUp() {
  const engine = school.newEngine();
  const [begun, release] = [createDeferred<void>(), createDeferred<void>()];
  const faults: unknown[] = [];
  const options = {
    engine: {
      checkAsked: (async (ask) => {
        begun.resolve();
        await release.promise;
        return engine.checkAsked(ask);
      }) as typeof engine.checkAsked,
    },
    who: school.who,
    now: school.clock.now,
    onFault: (error: unknown) => faults.push(error),
  };
  return { guard: expressGuard(options), options, begun: begun.promise, release: release.resolve, faults };
}

test('of a mounted router conditions look at the path that the guard was given, in one spelling', async () => {
  const { options, release } = setUp();
  release();
  const authorization = `Bearer ${await school.tokenOf('ann', { acr: 'mfa' })}`;
  const statusOf = async (mount: string | undefined, path: string) => {
    const router = express.Router();
    const guard = expressGuard({ ...options, mount });
    router.get('/:location', guard('mfa', 'location:{location}'), (_, response) => void response.end());
    const url = await listen(express().use('/page/:page', router));
    return (await fetch(url + path, { headers: { ...headers, authorization } })).status;
  };
  for (const path of ['/page/mfa/north', '/PAGE/%6dfa/n%6frth/', '/Page/mfa/north'])
    expect(await statusOf('/page/:page', path), path).toBe(200);
  expect(await statusOf('/page/:page', '/page/MFA/north')).toBe(403);
  for (const mount of [undefined, '/other/:page', '/page', '/page/:page/:more'])
    expect(await statusOf(mount, '/page/mfa/north'), mount).toBe(403);
});

test('a guard of a router comes before all of its routes, also those that do not exist', async () => {
  const { guard, release } = setUp();
  release();
  const app = express();
  app.use('/school', guard('grades', 'location:north'));
  app.get('/school/grades', (request, response) => void response.json(authorizationOf(request)));
  const url = await listen(app);
  expect((await fetch(`${url}/school/none`)).status).toBe(401);
  expect((await fetch(`${url}/school/none`, { headers })).status).toBe(404);
  expect((await fetch(`${url}/school/grades`, { headers })).status).toBe(200);
});

test('of two guards both must allow', async () => {
  const { guard, release } = setUp();
  release();
  const app = express();
  const handler: express.RequestHandler = (request, response) => void response.json(authorizationOf(request));
  app.get('/both', guard('office', 'location:north'), guard('grades', 'location:north'), handler);
  app.get('/one', guard('grades', 'location:north'), guard('payroll', 'location:north'), handler);
  const url = await listen(app);
  const both = await fetch(`${url}/both`, { headers });
  expect([both.status, ((await both.json()) as Authorization).permission]).toEqual([200, 'grades']);
  expect((await fetch(`${url}/one`, { headers })).status).toBe(403);
});

test.each([
  ['allowed', 'grades', 1],
  ['refused', 'payroll', 0],
])('a client that leaves before it is %s disturbs nobody', async (_, permission, calls) => {
  const { guard, begun, release, faults } = setUp();
  const app = express();
  let called = 0;
  const [ended, decided] = [createDeferred<void>(), createDeferred<void>()];
  const guarded = guard(permission, 'location:north');
  app.use((_request, response, next) => {
    response.on('close', () => ended.resolve());
    next();
  });
  app.get('/slow', (...call) => void guarded(...call).then(decided.resolve));
  app.get('/slow', (_request, response) => {
    called++;
    response.send('allowed');
  });
  app.get('/next', (_request, response) => void response.send(String(called)));
  const url = await listen(app);
  const leaving = get(`${url}/slow`, { headers });
  leaving.on('error', () => undefined);
  await begun;
  leaving.destroy();
  await ended.promise;
  release();
  await decided.promise;
  expect(await (await fetch(`${url}/next`)).text()).toBe(String(calls));
  expect(faults).toEqual([]);
});

test('a refusal after something else has answered sends nothing', async () => {
  const { guard, begun, release, faults } = setUp();
  const app = express();
  app.use((_request, response, next) => {
    begun.then(() => {
      response.status(408).send('too late');
      release();
    });
    next();
  });
  app.get('/slow', guard('payroll', 'location:north'));
  const answer = await fetch(`${await listen(app)}/slow`, { headers });
  expect([answer.status, await answer.text()]).toEqual([408, 'too late']);
  expect(faults).toEqual([]);
});

test('two Authorization headers are refused, whichever of them is valid', async () => {
  const { guard, release } = setUp();
  release();
  const app = express();
  app.get('/twice', guard('grades', 'location:north'), (_, response) => void response.send('allowed'));
  const url = await listen(app);
  const status = await new Promise((resolve, reject) => {
    const authorization = [headers.authorization as string, headers.authorization as string];
    get(`${url}/twice`, { headers: { authorization } as never }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    }).on('error', reject);
  });
  expect(status).toBe(401);
});

test('plain node:http takes the guard as well, which reads nothing there for the handler', async () => {
  const { guard, release } = setUp();
  release();
  const at = ({ url = '' }: { readonly url?: string | undefined }) =>
    new URL(url, 'http://h').searchParams.get('at');
  const statusOf = async (where: Where<ExpressRequest>, target: string, permission = 'grades') => {
    const guarded = guard(permission, where);
    const url = await listen((request, response) => {
      guarded(request, response, () => response.end(authorizationOf(request).subject));
    });
    return (await fetch(url + target, { headers })).status;
  };
  expect(await statusOf((request) => `location:${at(request)}`, '/x?at=north')).toBe(200);
  expect(await statusOf('location:{query:at}', '/x?at=north')).toBe(403);
  expect(await statusOf('location:{location}', '/north')).toBe(403);
});
