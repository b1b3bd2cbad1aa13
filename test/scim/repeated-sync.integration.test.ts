import { expect, test } from 'vitest';
import { size } from '../support/tier.ts';
import { createLightWorld } from '../support/world.ts';
import { type Client, GROUP, patchOf, USER } from './support.ts';
import { makeTenant, serve } from './tenants.ts';

/** A sync that is sent again as a whole writes nothing: within the hour in which the connection has been noted. */
const USERS = size(12, 300);
const GROUPS = size(3, 20);

const nth = (n: number) => `ann${n}@acme.example`;
const people = Array.from({ length: USERS }, (_, n) => n);

/** The first resource that a filter finds. */
async function findBy(send: Client, path: string, filter: string): Promise<string | undefined> {
  const { json } = await send('GET', `${path}?excludedAttributes=members&filter=${filter}`);
  return json.Resources[0]?.id;
}

async function expectStatus(answer: ReturnType<Client>, ...wanted: readonly number[]): Promise<string> {
  const { status, body, json } = await answer;
  expect(wanted, body).toContain(status);
  return json?.id;
}

/**
 * https://learn.microsoft.com/en-us/entra/identity/app-provisioning/use-scim-to-provision-users-and-groups
 *
 * As Entra ID provisions: it looks each one up, makes it or says what it is, adds members one by one.
 */
async function asEntra(send: Client): Promise<void> {
  const ids: string[] = [];
  for (const n of people) {
    const found = await findBy(send, '/Users', `userName eq "${nth(n)}"`);
    const said = { displayName: `Ann ${n}`, 'name.givenName': 'Ann', externalId: `object-${n}` };
    ids[n] =
      found ??
      (await expectStatus(
        send('POST', '/Users', {
          schemas: [USER],
          userName: nth(n),
          externalId: said.externalId,
          displayName: said.displayName,
          name: { givenName: 'Ann' },
          active: true,
          emails: [{ primary: true, type: 'work', value: nth(n) }],
        }),
        201,
      ));
    if (found === undefined) continue;
    const value = nth(n).toUpperCase();
    const email = { op: 'Replace', path: 'emails[type eq "work"].value', value };
    const active = { op: 'Replace', path: 'active', value: n === 0 ? 'False' : 'True' };
    const patch = patchOf(email, { op: 'Add', value: said }, active);
    await expectStatus(send('PATCH', `/Users/${found}`, patch), 200);
  }
  // Of somebody who has left: told once, and told again.
  await expectStatus(
    send('PATCH', `/Users/${ids[0]}`, patchOf({ op: 'Replace', path: 'active', value: 'False' })),
    200,
  );
  for (let g = 0; g < GROUPS; g++) {
    const displayName = `Group ${g}`;
    const found = await findBy(send, '/Groups', `displayName eq "${displayName}"`);
    const group =
      found ??
      (await expectStatus(
        send('POST', '/Groups', { schemas: [GROUP], displayName, externalId: `group-${g}` }),
        201,
      ));
    const rename = patchOf({ op: 'Replace', path: 'displayName', value: displayName });
    await expectStatus(send('PATCH', `/Groups/${group}`, rename), 204);
    for (const n of people.filter((each) => each % GROUPS === g)) {
      const member = { op: 'Add', path: 'members', value: [{ $ref: null, value: ids[n] }] };
      await expectStatus(send('PATCH', `/Groups/${group}`, patchOf(member)), 204);
    }
    const gone = { op: 'Remove', path: 'members', value: [{ value: ids[(g + 1) % GROUPS] }] };
    await expectStatus(send('PATCH', `/Groups/${group}`, patchOf(gone)), 204);
  }
}

/**
 * https://developer.okta.com/docs/api/openapi/okta-scim/guides/scim-20
 *
 * As Okta provisions: it looks each one up and puts it whole, and pushes whole groups.
 */
async function asOkta(send: Client): Promise<void> {
  const ids: string[] = [];
  for (const n of people) {
    const user = {
      schemas: [USER],
      userName: nth(n),
      externalId: `00u${n}`,
      name: { givenName: 'Ann', familyName: `${n}` },
      displayName: `Ann ${n}`,
      emails: [{ primary: true, value: nth(n), type: 'work' }],
      locale: 'en-US',
      groups: [],
      active: n !== 0,
    };
    const found = await findBy(send, '/Users', `userName eq "${nth(n)}"`);
    ids[n] = found ?? (await expectStatus(send('POST', '/Users', user), 201));
    await expectStatus(send('PUT', `/Users/${ids[n]}`, { ...user, id: ids[n] }), 200);
  }
  const off = patchOf({ op: 'replace', value: { active: false } });
  await expectStatus(send('PATCH', `/Users/${ids[0]}`, off), 200);
  for (let g = 0; g < GROUPS; g++) {
    const displayName = `Group ${g}`;
    const found = await findBy(send, '/Groups', `displayName eq "${displayName}"`);
    const made = { schemas: [GROUP], displayName, members: [] };
    const group = found ?? (await expectStatus(send('POST', '/Groups', made), 201));
    const members = people.filter((n) => n % GROUPS === g).map((n) => ({ value: ids[n], display: nth(n) }));
    const operations = [
      { op: 'replace', value: { id: group, displayName } },
      { op: 'replace', path: 'members', value: members },
    ];
    for (const operation of operations)
      await expectStatus(send('PATCH', `/Groups/${group}`, patchOf(operation)), 204);
    await expectStatus(send('PUT', `/Groups/${group}`, { schemas: [GROUP], displayName, members }), 200);
    const ghost = await findBy(send, '/Groups', 'displayName eq "Gone"');
    expect(ghost).toBeUndefined();
  }
  await expectStatus(send('DELETE', `/Users/${'01J8Z0E2Z8D2A3J7A7Y2H9GQ9C'}`), 404);
}

test.each([
  ['Entra ID', asEntra],
  ['Okta', asOkta],
])('the sync of %s writes nothing the second time', async (_, sync) => {
  const world = await createLightWorld();
  const tenant = await makeTenant(world, 'acme');
  const writesOf = async (act: () => Promise<void>): Promise<number> => {
    world.calls.length = 0;
    await act();
    return world.calls.filter(({ operation }) => operation === 'TransactWriteItems').length;
  };
  const first = await writesOf(() => sync(serve(world).as(tenant)));
  expect(first).toBeGreaterThanOrEqual(USERS + GROUPS);
  world.clock.advance(3_500_000);
  expect(await writesOf(() => sync(serve(world).as(tenant)))).toBe(0);
  world.clock.advance(3_600_000);
  // An hour later, that there was a request.
  expect(await writesOf(() => sync(serve(world).as(tenant)))).toBe(1);
});
