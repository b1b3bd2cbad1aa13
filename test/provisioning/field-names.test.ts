import { expect, test } from 'vitest';
import { describeCommands, type Property } from '../../provisioning/documents/commands.ts';
import { formerOf } from '../../provisioning/former-names.ts';
import { COMMANDS } from '../../provisioning/index.ts';
import { PLAIN_ENTITIES } from '../../table/entities/registry.ts';

/** The rule of names of fields, over all commands (ADR 0039). */
interface Field {
  /** `user.read id` */
  readonly at: string;
  readonly command: string;
  readonly name: string;
  readonly texts: readonly string[];
  readonly isRequired: boolean;
}

const textsOf = ({ description, anyOf = [], items }: Property): readonly string[] => [
  ...(description === undefined ? [] : [description]),
  ...anyOf.flatMap(textsOf),
  ...(items ? textsOf(items) : []),
];

const FIELDS: readonly Field[] = describeCommands().flatMap(({ name: command, input }) =>
  Object.entries((input.properties ?? {}) as Readonly<Record<string, Property>>).map(([name, property]) => ({
    at: `${command} ${name}`,
    command,
    name,
    texts: textsOf(property),
    isRequired: (input.required as readonly string[] | undefined)?.includes(name) === true,
  })),
);
const FIELDS_OF = new Map(
  [...COMMANDS.keys()].map((name) => [name, FIELDS.filter(({ command }) => command === name)]),
);
const says = (pattern: RegExp) => (field: Field) => field.texts.some((text) => pattern.test(text));

/** Fields that take a scope by another name, and why. */
const SCOPES: Readonly<Record<string, string>> = {
  scopes: 'several scopes',
  tenant: 'a root scope alone: the tenant that lists something, or has its log',
  account: 'an account alone',
  enterprise: 'an enterprise alone',
  workstream: 'a workstream alone',
};

/** Of plain kinds: a scope of the type that the field names. */
const OWNERS = PLAIN_ENTITIES.flatMap(({ hangsOn = [] }) => hangsOn);

/** Fields that take a subject by another name, and why. */
const SUBJECTS: Readonly<Record<string, string>> = {
  'user.access id': 'the command is about the user, or another subject, as `user` names it elsewhere',
};

test('what takes a reference to a scope is called scope or parent', () => {
  const scopes = FIELDS.filter(
    says(/^(?:reference such as `(?:location|ward):ID`|scope or template of one)/),
  );
  expect(scopes.length).toBeGreaterThan(60);
  expect(
    scopes.filter(({ name }) => !['scope', 'parent', ...Object.keys(SCOPES), ...OWNERS].includes(name)),
  ).toEqual([]);
  for (const name of Object.keys(SCOPES)) expect(scopes.map((field) => field.name)).toContain(name);
});

test('parent is what stands above, in commands of what stands in a tree', () => {
  const entities = FIELDS.filter(({ name }) => name === 'parent').map(({ command }) => command.split('.')[0]);
  expect(new Set(entities)).toEqual(
    new Set([
      ...['location', 'project', 'building', 'zone', 'device', 'workstream', 'scope'],
      // A role inherits from its parent.
      'role',
    ]),
  );
});

test('what takes any subject is called user', () => {
  const subjects = FIELDS.filter(says(/^(?:id of a user, |reference such as `device:ID`)/));
  expect(subjects.length).toBeGreaterThan(30);
  const by = /^(?:created|granted|updated|revoked|invited)By$/;
  const others = subjects.filter(({ name }) => name !== 'user' && !by.test(name)).map(({ at }) => at);
  // The log says of two who they are: who acted, and for whom.
  expect(others.sort()).toEqual(['audit.list actor', ...Object.keys(SUBJECTS)]);
});

test('id is an id, and of what the command is about', () => {
  const ids = FIELDS.filter(({ name }) => name === 'id');
  expect(ids.length).toBeGreaterThan(100);
  const others = ids.filter((field) => !says(/^id (?:\(at most|of the request)/)(field)).map(({ at }) => at);
  expect(others).toEqual(Object.keys(SUBJECTS));
});

test('no command names by a type and an id what exists', () => {
  const both = [...FIELDS_OF]
    .filter(([, fields]) => ['type', 'id'].every((name) => fields.some((field) => field.name === name)))
    .map(([command]) => command);
  expect(both).toEqual([
    // What is made has both; a zone and a device have a type of their own that says nothing of the id.
    ...['zone.create', 'zone.update', 'device.create', 'device.update', 'scope.create'],
    // `type` is that of the scopes at which the access holds.
    ...['user.access', 'subject.create'],
  ]);
});

test('the same verb of a kind names what exists by the same fields', () => {
  const namesOf = (command: string, fields = FIELDS_OF.get(command) ?? []) => fields.map(({ name }) => name);
  for (const command of COMMANDS.keys()) {
    const [entity = '', verb = ''] = command.split('.');
    if (
      !['update', 'delete-tree', 'move', 'revoke', 'erase', 'read-all', 'apply'].includes(verb) ||
      entity === 'tenant'
    )
      continue;
    // What is optional says more than which one it is.
    const deleting = FIELDS_OF.get(`${entity}.delete`)?.filter(({ isRequired }) => isRequired);
    const deletes = namesOf(`${entity}.delete`, deleting);
    expect(namesOf(command), command).toEqual(expect.arrayContaining([...deletes]));
    expect(namesOf(`${entity}.read`), command).toEqual(expect.arrayContaining([...deletes]));
  }
});

test('former names are those of fields that no command has any more', () => {
  const renamed = [...COMMANDS.keys()].flatMap((command) => {
    const former = formerOf(command);
    return former ? [{ command, ...former }] : [];
  });
  expect(renamed.map(({ command }) => command)).toEqual([
    ...['scope.read', 'scope.update', 'scope.delete', 'user.access'],
    ...['subject.read', 'subject.update', 'subject.delete'],
  ]);
  for (const { command, field, before } of renamed) {
    const names = FIELDS_OF.get(command)?.map(({ name }) => name);
    expect(names, command).toContain(field);
    for (const name of before) expect(names, command).not.toContain(name);
  }
});
