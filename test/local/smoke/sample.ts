import type { SampleStack } from '../../../local/sample/stack.ts';
import { gradesOf, type Visitor } from './visitor.ts';

/** Base paths of the kinds of API. */
const APIS = ['', '/http-policy', '/http-1.0', '/rest', '/rest-token'];

/** Checks what the people and programs of the sample world may and may not do. */
export async function walkSample(stack: SampleStack, visitor: Visitor): Promise<void> {
  await walkKinds(stack, visitor);
  await walkSchool(stack, visitor);
  await walkFacilities(stack, visitor);
  await walkPlatform(stack, visitor);
}

/** Each kind of API, and a policy for a whole one. */
async function walkKinds({ url, school, tenants, facilities }: SampleStack, visitor: Visitor): Promise<void> {
  const { check, expectStatus, tokenOf } = visitor;
  for (const api of APIS) {
    await expectStatus(200, 'tina@school.example', `${api}${gradesOf(school.north)}`);
    await expectStatus(403, 'victor@school.example', `${api}${gradesOf(school.north)}`);
    await expectStatus(401, undefined, `${api}${gradesOf(school.north)}`);
    await expectStatus(200, 'victor@school.example', `${api}/locations/${school.north}/pages/schedule`);
    await expectStatus(200, 'alice@acme.example', `${api}/tenants/${tenants.acme}/tickets/1`, 'DELETE');
    await expectStatus(200, 'theo@northwind.example', `${api}/buildings/${facilities.boathouse}/doors`);
    await expectStatus(403, 'theo@northwind.example', `${api}/buildings/${facilities.orangery}/doors`);
  }
  // One authorizer call for two routes: the cached policy covers both.
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
}

async function walkSchool({ school, tenants }: SampleStack, visitor: Visitor): Promise<void> {
  const { check, expectStatus, status, tokenOf } = visitor;
  await expectStatus(403, 'tina@school.example', gradesOf(school.south));
  await expectStatus(200, 'sam@school.example', gradesOf(school.north));
  await expectStatus(403, 'sam@school.example', gradesOf(school.south));
  await expectStatus(200, 'ada@school.example', gradesOf(school.south));
  await expectStatus(403, 'dora@school.example', gradesOf(school.south));
  await expectStatus(200, 'bob@acme.example', `/tenants/${tenants.acme}/tickets`);
  await expectStatus(403, 'bob@acme.example', `/tenants/${tenants.globex}/tickets`);
  await expectStatus(403, 'bob@acme.example', `/tenants/${tenants.acme}/tickets/1`, 'DELETE');
  await expectStatus(200, 'clara@acme.example', `/tenants/${tenants.acme}/tickets/1`, 'DELETE');
  await expectStatus(200, 'olga@audit.example', `/tenants/${tenants.globex}/tickets`);
  await expectStatus(403, 'olga@audit.example', `/tenants/${tenants.globex}/tickets`, 'POST');
  await expectStatus(403, 'ada@school.example', '/nowhere');
  await expectStatus(403, 'ada@school.example', `${gradesOf(school.north)}/`);
  check(
    '401 for a token that was tampered with',
    (await status(gradesOf(school.north), `${await tokenOf('ada@school.example')}x`)) === 401,
  );
}

async function walkFacilities({ facilities }: SampleStack, { expectStatus }: Visitor): Promise<void> {
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
}

async function walkPlatform({ platform }: SampleStack, visitor: Visitor): Promise<void> {
  const { check, expectStatus, provision, status } = visitor;
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
}
