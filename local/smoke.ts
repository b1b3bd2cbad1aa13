import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { readConfiguration } from './configuration.ts';
import { type OpenSocket, openSocket } from './smoke-socket.ts';
import { type Stack, startStack } from './stack.ts';

/**
 * `npm run smoke`: starts the stack on free ports and walks the whole path as a user would, over HTTP and
 * through the Lambda API, with the clock of the wall. Ends with `N passed, N failed`.
 */
const CACHE_TTL_SECONDS = 1;
/** The same application behind each kind of API, told apart by the first segment. */
const APIS = ['', '/http-policy', '/http-1.0', '/rest', '/rest-token'];
let passed = 0;
let failed = 0;

/** What provisioning answers; the text of an API token is in the first answer only. */
interface Created {
  readonly id: string;
  readonly token?: string;
}

function check(what: string, holds: boolean, seen?: unknown): void {
  if (holds) passed += 1;
  else failed += 1;
  console.log(
    `${holds ? 'ok    ' : 'FAILED'} ${what}${holds || seen === undefined ? '' : `, saw ${JSON.stringify(seen)}`}`,
  );
}

async function walk(stack: Stack): Promise<readonly OpenSocket[]> {
  const open: OpenSocket[] = [];
  const { url, school, tenants, facilities, platform } = stack;
  const lambda = new LambdaClient({
    endpoint: stack.lambdaUrl,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });

  async function invoke(name: string, event: unknown): Promise<unknown> {
    const answer = await lambda.send(
      new InvokeCommand({ FunctionName: name, Payload: JSON.stringify(event) }),
    );
    return JSON.parse(new TextDecoder().decode(answer.Payload));
  }

  async function provision(command: string, input: Record<string, unknown>): Promise<Created> {
    const answer = (await invoke('provisioning', { command, input, actor: 'smoke' })) as {
      ok: boolean;
      result?: Created;
      error?: { message: string };
    };
    check(`provisioning: ${command}`, answer.ok, answer.error);
    return answer.result ?? { id: '' };
  }

  async function tokenOf(user: string): Promise<string> {
    const answer = await fetch(`${url}/_dev/token`, { method: 'POST', body: JSON.stringify({ user }) });
    return ((await answer.json()) as { access_token: string }).access_token;
  }

  async function status(path: string, token?: string, method = 'GET'): Promise<number> {
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return (await fetch(`${url}${path}`, { method, headers })).status;
  }

  async function expectStatus(
    expected: number,
    who: string | undefined,
    path: string,
    method = 'GET',
  ): Promise<void> {
    const seen = await status(path, who === undefined ? undefined : await tokenOf(who), method);
    check(
      `${expected} for ${who ?? 'nobody'}: ${method} ${path.replace(/[0-9A-Z]{26}/g, '…')}`,
      seen === expected,
      seen,
    );
  }

  const grades = (location: string) => `/locations/${location}/pages/grades`;
  for (const api of APIS) {
    await expectStatus(200, 'tina@school.example', `${api}${grades(school.north)}`);
    await expectStatus(403, 'victor@school.example', `${api}${grades(school.north)}`);
    await expectStatus(401, undefined, `${api}${grades(school.north)}`);
    await expectStatus(200, 'victor@school.example', `${api}/locations/${school.north}/pages/schedule`);
    await expectStatus(200, 'alice@acme.example', `${api}/tenants/${tenants.acme}/tickets/1`, 'DELETE');
    await expectStatus(200, 'theo@northwind.example', `${api}/buildings/${facilities.boathouse}/doors`);
    await expectStatus(403, 'theo@northwind.example', `${api}/buildings/${facilities.orangery}/doors`);
  }
  // One call of the authorizer for two routes: what is cached under the token holds for both.
  const whole = await tokenOf('tina@school.example');
  for (const [page, expected] of [
    ['grades', 200],
    ['schedule', 200],
    ['unheard-of', 403],
  ] as const) {
    const path = `/rest-whole/locations/${school.north}/pages/${page}`;
    const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${whole}` } });
    const { you } = (await answer.json()) as { you?: { coverage?: string } };
    const isRight = answer.status === expected && (expected !== 200 || you?.coverage === 'api');
    check(`${expected} by a policy for the whole API: ${page}`, isRight, [answer.status, you]);
  }
  await expectStatus(403, 'tina@school.example', grades(school.south));
  await expectStatus(200, 'sam@school.example', grades(school.north));
  await expectStatus(403, 'sam@school.example', grades(school.south));
  await expectStatus(200, 'ada@school.example', grades(school.south));
  await expectStatus(403, 'dora@school.example', grades(school.south));
  await expectStatus(200, 'bob@acme.example', `/tenants/${tenants.acme}/tickets`);
  await expectStatus(403, 'bob@acme.example', `/tenants/${tenants.globex}/tickets`);
  await expectStatus(403, 'bob@acme.example', `/tenants/${tenants.acme}/tickets/1`, 'DELETE');
  await expectStatus(200, 'clara@acme.example', `/tenants/${tenants.acme}/tickets/1`, 'DELETE');
  await expectStatus(200, 'olga@audit.example', `/tenants/${tenants.globex}/tickets`);
  await expectStatus(403, 'olga@audit.example', `/tenants/${tenants.globex}/tickets`, 'POST');
  await expectStatus(403, 'ada@school.example', '/nowhere');
  await expectStatus(403, 'ada@school.example', `${grades(school.north)}/`);
  check(
    '401 for a token that was tampered with',
    (await status(grades(school.north), `${await tokenOf('ada@school.example')}x`)) === 401,
  );

  const { client, harbour, gardens, lighthouse, boathouse, orangery, reception, heatPump } = facilities;
  const [nora, theo, rita, carl] = ['nora', 'theo', 'rita', 'carl'].map(
    (name) => `${name}@northwind.example`,
  );
  await expectStatus(200, nora, `/clients/${client}/doors`);
  await expectStatus(200, nora, `/buildings/${orangery}/doors`, 'POST');
  await expectStatus(200, theo, `/projects/${harbour}/doors`);
  await expectStatus(200, theo, `/zones/${reception}/doors`, 'POST');
  await expectStatus(403, theo, `/projects/${gardens}/doors`);
  await expectStatus(403, theo, `/clients/${client}/doors`);
  await expectStatus(200, theo, `/buildings/${lighthouse}/climate`, 'POST');
  await expectStatus(200, theo, `/devices/${heatPump}/climate`);
  await expectStatus(403, theo, `/buildings/${boathouse}/climate`, 'POST');
  await expectStatus(200, rita, `/buildings/${lighthouse}/visitors`);
  await expectStatus(403, rita, `/buildings/${boathouse}/visitors`);
  await expectStatus(403, rita, `/projects/${harbour}/doors`);
  await expectStatus(403, carl, `/buildings/${lighthouse}/doors`, 'POST');
  await expectStatus(200, carl, `/buildings/${boathouse}/doors`, 'POST');

  const reports = (workstream: string) => `/workstreams/${workstream}/reports`;
  await expectStatus(200, 'petra@bluefin.example', reports(platform.routes));
  await expectStatus(403, 'petra@bluefin.example', reports(platform.timetables));
  await expectStatus(403, 'petra@bluefin.example', `/accounts/${platform.account}/reports`);
  await expectStatus(403, 'milo@bluefin.example', reports(platform.routes));
  const robot = await provision('token.create', {
    user: `technical-user:${platform.robot}`,
    tokenType: 'api',
  });
  for (const api of APIS) {
    const seen = await status(`${api}${reports(platform.routes)}`, robot.token);
    check(`200 for a program with its token: ${api}/workstreams/…/reports`, seen === 200, seen);
  }
  check(
    '403 for the program where the licence has expired',
    (await status(reports(platform.timetables), robot.token)) === 403,
  );

  const board = (location?: string) =>
    `${url.replace('http', 'ws')}/ws${location === undefined ? '' : `?location=${location}`}`;
  const expectRefusal = async (expected: number, who: string | undefined, why: string, location?: string) => {
    const seen = await openSocket(board(location), who === undefined ? undefined : await tokenOf(who));
    if (typeof seen !== 'number') seen.close();
    check(`${expected} for ${who ?? 'nobody'}: a connection ${why}`, seen === expected, seen);
  };
  await expectRefusal(401, undefined, 'without a token', school.north);
  await expectRefusal(401, 'tina@school.example', 'without its place');
  await expectRefusal(403, 'tina@school.example', 'at another school', school.south);
  await expectRefusal(403, 'dora@school.example', 'of a disabled user', school.south);
  await expectRefusal(
    403,
    'tina@school.example',
    'at two places',
    `${school.north}&location=${school.south}`,
  );
  const tampered = await openSocket(board(school.north), `${await tokenOf('ada@school.example')}x`);
  check('401 for a connection with a token that was tampered with', tampered === 401, tampered);
  const socket = await openSocket(board(school.north), await tokenOf('tina@school.example'));
  check('101 for tina@school.example: a connection', typeof socket !== 'number', socket);
  if (typeof socket !== 'number') {
    const first = await socket.ask({ action: 'board' });
    const { subject, allowedBy } = (first.you ?? {}) as { subject?: string; allowedBy?: string };
    check(
      "a message on it reaches its route, with the authorizer's context",
      first.route === 'board' && subject?.startsWith('user:') === true && allowedBy === 'role',
      first,
    );
    const second = await socket.ask('not even JSON');
    const again = (second.you as { subject?: string } | undefined)?.subject;
    check(
      'another message reaches $default, with the same context',
      second.route === '$default' && again === subject,
      second,
    );
    const third = await socket.ask({ action: '$connect' });
    check("no message reaches the connection's own routes", third.route === '$default', third);
    open.push(socket);
  }

  const tenant = await provision('tenant.create', { name: 'Initech' });
  const place = await provision('location.create', { name: 'Office', parent: `tenant:${tenant.id}` });
  const other = await provision('location.create', { name: 'Annex', parent: `tenant:${tenant.id}` });
  await provision('page.create', { name: 'stapler' });
  const role = await provision('role.create', { name: 'keeper', scope: `tenant:${tenant.id}` });
  await provision('role-permission.create', { role: role.id, permission: 'stapler', effect: 'ALLOW' });
  const group = await provision('group.create', { scope: `location:${place.id}`, name: 'keepers' });
  await provision('group-role.create', { group: group.id, role: role.id });
  const user = await provision('user.create', { email: 'milton@initech.example' });
  await provision('membership.create', { user: user.id, group: group.id });
  const stapler = (location: string) => `/locations/${location}/pages/stapler`;
  await expectStatus(200, 'milton@initech.example', stapler(place.id));
  await expectStatus(403, 'milton@initech.example', stapler(other.id));
  await expectStatus(403, 'milton@initech.example', `/locations/${place.id}/pages/dashboard`);
  await expectStatus(403, 'milton@initech.example', stapler(school.north));

  await provision('membership.delete', { user: user.id, group: group.id });
  await new Promise((resolve) => setTimeout(resolve, CACHE_TTL_SECONDS * 1_000 + 50));
  await expectStatus(403, 'milton@initech.example', stapler(place.id));

  const refused = (await invoke('provisioning', {
    command: 'user.create',
    input: { email: 'tina@school.example' },
  })) as {
    ok: boolean;
    error?: { code: string; field: string };
  };
  check(
    'a second user with the same email is told so',
    refused.error?.code === 'conflict' && refused.error.field === 'email',
    refused,
  );

  const answer = (await invoke('authorizer', {
    version: '2.0',
    type: 'REQUEST',
    routeArn: `arn:aws:execute-api:eu-central-1:000000000000:local/$default/GET${grades(school.north)}`,
    identitySource: [],
    routeKey: 'GET /locations/{locationId}/pages/{page}',
    rawPath: grades(school.north),
    rawQueryString: '',
    headers: { authorization: `Bearer ${await tokenOf('tina@school.example')}` },
    requestContext: { stage: '$default', http: { method: 'GET', path: grades(school.north) } },
  })) as { isAuthorized?: boolean };
  check('the authorizer answers through the Lambda API', answer.isAuthorized === true, answer);
  return open;
}

async function main(): Promise<void> {
  const stack = await startStack(
    readConfiguration({
      PORT: '0',
      LAMBDA_PORT: '0',
      CACHE_TTL_SECONDS: String(CACHE_TTL_SECONDS),
      DYNAMODB_ENDPOINT: process.env.DYNAMODB_ENDPOINT,
      TABLE_NAME: `smoke-${Date.now()}`,
    }),
  );
  let open: readonly OpenSocket[] = [];
  try {
    open = await walk(stack);
  } finally {
    await stack.stop();
  }
  for (const socket of open) {
    const code = await socket.ended();
    check('a connection ends with the stack', code === 1001, code);
  }
}

main()
  .catch((error: unknown) =>
    check(`the walk ends: ${error instanceof Error ? error.message : String(error)}`, false),
  )
  .finally(() => {
    console.log(`${passed} passed, ${failed} failed`);
    process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
  });
