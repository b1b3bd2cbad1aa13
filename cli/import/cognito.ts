import { basename } from 'node:path';
import * as z from 'zod';
import { defined } from '../../table/defined.ts';
import { isId, isName } from '../../table/identifiers.ts';
import { ProblemsError } from '../../testing/document.ts';
import { documentOf } from './document-of.ts';
import { createLeft, type Imported, type ImportOptions, questionsOf } from './imported.ts';

const GROUPS = z.object({
  Groups: z
    .array(
      z.object({
        GroupName: z.string().max(128),
        Description: z.string().optional(),
        RoleArn: z.string().optional(),
        Precedence: z.number().optional(),
      }),
    )
    .max(10_000),
  NextToken: z.string().nullish(),
});
const USERS = z.object({
  Users: z.array(
    z.object({
      Username: z.string(),
      Enabled: z.boolean().default(true),
      Attributes: z.array(z.object({ Name: z.string(), Value: z.string().default('') })).default([]),
    }),
  ),
  NextToken: z.string().nullish(),
});
const GOES_ON = 'its NextToken says that there are more';

/**
 * Imports groups of Cognito with their members. A group carries a role of its own name, which allows one permission: what
 * `groups.includes('admins')` asks in the code.
 *
 * @param files what `aws cognito-idp list-groups` writes, then what `list-users-in-group` writes for each group, each in a
 *   file that is named after the group
 * @throws ProblemsError for files in another form
 */
export async function importCognito(
  [file = '', ...memberFiles]: readonly string[],
  { tenant, module }: ImportOptions,
): Promise<Imported> {
  const { left, leave } = createLeft();
  const { Groups, NextToken } = await documentOf(file, GROUPS);
  if (NextToken) leave(file, GOES_ON);
  const listed = new Map(Groups.map((group) => [group.GroupName, group]));
  const groups = new Map<string, { readonly description: string | undefined; readonly permission: string }>();
  for (const [name, { Description: description, RoleArn, Precedence }] of listed) {
    if (RoleArn !== undefined) leave(`group ${name}`, `its IAM role ${RoleArn} stays with Cognito`);
    if (Precedence !== undefined) leave(`group ${name}`, 'its precedence: roles add up');
    if (isName(name)) groups.set(name, { description, permission: `${module}:in:${name}` });
    else leave(`group ${name}`, 'no permission can be called so');
  }
  const users = new Map<
    string,
    { readonly user: object; readonly groups: Set<string>; readonly isEnabled: boolean }
  >();
  const read = new Set<string>();
  for (const path of memberFiles) {
    const name = basename(path).replace(/\.json$/, '');
    if (!listed.has(name))
      throw new ProblemsError([{ file: path, message: `is not named after a group of ${file}` }]);
    read.add(name);
    const { Users, NextToken } = await documentOf(path, USERS);
    if (NextToken) leave(path, GOES_ON);
    for (const { Username, Enabled, Attributes } of Users) {
      const attribute = (wanted: string) => Attributes.find(({ Name }) => Name === wanted)?.Value;
      const id = attribute('sub') ?? Username;
      if (!isId(id)) {
        leave(`user ${Username}`, 'no user can have this id');
        continue;
      }
      const email = attribute('email_verified') === 'true' ? attribute('email') : undefined;
      const user = users.get(id) ?? {
        user: defined({ id, email, status: Enabled ? 'active' : 'disabled' }),
        groups: new Set(),
        isEnabled: Enabled,
      };
      users.set(id, user);
      if (groups.has(name)) user.groups.add(name);
    }
  }
  for (const name of groups.keys())
    if (!read.has(name)) leave(`group ${name}`, `there is no file ${name}.json with its members`);
  const manifest = {
    permissions: [...groups.values()].map(({ permission }) => permission),
    scopes: { [tenant]: { type: 'tenant' } },
    roles: Object.fromEntries(
      [...groups].map(([name, { permission }]) => [name, { owner: tenant, allow: [permission] }]),
    ),
    groups: Object.fromEntries(
      [...groups].map(([name, { description }]) => [
        name,
        defined({ scope: tenant, roles: [name], description }),
      ]),
    ),
    users: Object.fromEntries(
      [...users].map(([id, { user, groups: of }]) => [id, { ...user, groups: [...of] }]),
    ),
  };
  const permissions = [...groups.values()].map(({ permission }) => permission);
  return {
    manifest,
    left,
    questions: questionsOf([...users.keys()], permissions, [tenant]),
    // What its files say is all that Cognito knows: who is in a group, unless the user is disabled.
    ask: async ({ subject, permission }) => {
      const { isEnabled = false, groups: of } = users.get(subject) ?? {};
      return isEnabled && of?.has(permission.split(':')[2] ?? '') === true;
    },
  };
}
