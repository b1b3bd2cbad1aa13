import { createGroup, createRole, createUser, idOf, type Provision } from './provision.ts';

export interface School {
  readonly north: string;
  readonly south: string;
}

/**
 * A school: two locations, teachers and volunteers, a page that only teachers see, a user in
 * both, an administrator and a disabled user.
 */
export async function createSchool(provision: Provision): Promise<School> {
  const pages = {
    dashboard: 'What happens today',
    schedule: 'Who teaches what, and when',
    grades: 'Marks; for teachers only',
  };
  for (const [name, description] of Object.entries(pages)) {
    await provision('page.create', name, { name, description });
  }

  const teacher = await createRole(
    provision,
    { name: 'teacher', scope: 'global' },
    { allow: ['dashboard', 'schedule', 'grades'] },
  );
  const volunteer = await createRole(
    provision,
    { name: 'volunteer', scope: 'global' },
    { allow: ['dashboard', 'schedule'], deny: ['grades'] },
  );

  const location = async (code: string, name: string) =>
    (
      await provision('location.create', code, {
        id: idOf(code),
        code,
        name,
        address: `${name}, School Lane`,
      })
    ).id;
  const [north, south] = [await location('NORTH', 'North School'), await location('SOUTH', 'South School')];

  const group = (scope: string, groupType: 'TEACHER' | 'VOLUNTEER', role: string, where: string) => {
    const name = `${groupType === 'TEACHER' ? 'Teachers' : 'Volunteers'} ${where}`;
    return createGroup(provision, { scope: `location:${scope}`, name, groupType }, role);
  };
  const groups = {
    teachersNorth: await group(north, 'TEACHER', teacher, 'north'),
    volunteersNorth: await group(north, 'VOLUNTEER', volunteer, 'north'),
    teachersSouth: await group(south, 'TEACHER', teacher, 'south'),
    volunteersSouth: await group(south, 'VOLUNTEER', volunteer, 'south'),
  };

  const user = async (
    name: string,
    userType: 'MEMBER' | 'LEAD',
    memberOf: readonly string[],
    at: readonly string[],
  ) => {
    const email = `${name}@school.example`;
    const id = await createUser(provision, { email, displayName: name, userType, emailProvider: 'google' });
    for (const place of at)
      await provision('grant.create', `${email} ${place}`, { user: id, scope: `location:${place}` });
    for (const each of memberOf)
      await provision('membership.create', `${email} ${each}`, { user: id, group: each });
    return id;
  };
  await user('tina', 'LEAD', [groups.teachersNorth], [north]);
  await user('victor', 'MEMBER', [groups.volunteersNorth], [north]);
  await user('sam', 'MEMBER', [groups.teachersNorth, groups.volunteersSouth], [north, south]);
  const ada = await user('ada', 'LEAD', [], []);
  await provision('admin.create', 'ada', { user: ada });
  // So that an administrator may ask the AuthZEN API.
  await provision('permission.create', 'evaluate', { name: 'gatehouse:evaluate:decision' });
  const dora = await user('dora', 'MEMBER', [groups.teachersSouth], [south]);
  await provision('user.update', 'dora', { id: dora, status: 'disabled' });

  await provision('route.create', 'location page', {
    method: 'GET',
    path: '/locations/{locationId}/pages/{page}',
    permission: '{page}',
    scope: 'location:{locationId}',
  });
  await provision('route.create', 'live board', {
    method: 'CONNECT',
    path: '/$connect',
    permission: 'dashboard',
    scope: 'location:{query:location}',
  });
  return { north, south };
}
