import * as z from 'zod';
import { defined } from '../../table/defined.ts';
import { isScopeType } from '../../table/entities/registry.ts';
import { isBuiltIn } from '../../table/entities/scope-types.ts';
import { isId, isName } from '../../table/identifiers.ts';
import { ProblemsError } from '../../testing/document.ts';
import { documentOf } from './document-of.ts';
import { createLeft, type Imported, type ImportOptions, type Leave, type Questions } from './imported.ts';
import { type Model, readModel } from './openfga-model.ts';
import { openStore, TUPLE, type Tuple } from './openfga-store.ts';

/** What `fga tuple read` writes: as the API answers, or as `simple-json` and YAML. */
const TUPLES = z.union([
  z
    .object({ tuples: z.array(z.object({ key: TUPLE })), continuation_token: z.string().nullish() })
    .transform(({ tuples, continuation_token: token }) => ({
      tuples: tuples.map(({ key }) => key),
      isLast: !token,
    })),
  // It may be one page or all of them.
  z.array(TUPLE).transform((tuples) => ({ tuples, isLast: undefined })),
]);

const USER = 'user';

/**
 * Imports a model of OpenFGA whose objects form a tree, with its tuples: objects become scopes, relations that are granted
 * become roles, and each relation of a type a permission, `document:viewer:document`.
 *
 * @param files the model, then tuples
 * @throws ProblemsError for files in another form
 */
export async function importOpenFga(
  [modelFile = '', ...tupleFiles]: readonly string[],
  { tenant, server }: Pick<ImportOptions, 'tenant' | 'server'>,
): Promise<Imported> {
  const { left, leave } = createLeft();
  const { model, raw } = await readModel(modelFile, leave);
  if (!model.has(USER)) throw new ProblemsError([{ file: modelFile, message: `has no type ${USER}` }]);
  const pages = await Promise.all(tupleFiles.map((file) => documentOf(file, TUPLES)));
  const ends = pages.map(({ isLast }) => isLast);
  if (ends.includes(false) && !ends.includes(true))
    leave(tupleFiles.join(' '), 'the last continuation_token says that there are more');
  // Files may overlap: the server has no tuple twice.
  const read = pages.flatMap(({ tuples }) => tuples);
  const tuples = [...new Map(read.map((tuple) => [JSON.stringify(tuple), tuple])).values()];
  const places = placesOf(model);
  const scopeTypes = new Map([...places.types].map((type) => [type, scopeTypeOf(type)]));
  if (new Set(scopeTypes.values()).size < scopeTypes.size)
    throw new ProblemsError([{ file: modelFile, message: 'two of its types would be one type of scopes' }]);
  const { tree, granted } = treeOf(tuples, model, places, leave);
  const { roles, groups, users } = accessOf(granted, { model, places, tree, tenant }, leave);
  const permissions = [...places.types].flatMap((type) =>
    [...(model.get(type)?.keys() ?? [])].flatMap((relation) =>
      places.parents.get(type)?.has(relation) || !isName(relation) || !isName(type)
        ? []
        : [permissionOf(type, relation)],
    ),
  );
  const manifest = {
    scopeTypes: Object.fromEntries(
      [...scopeTypes].map(([type, name]) => [
        name,
        { parents: ['tenant', ...[...(places.above.get(type) ?? [])].map((each) => scopeTypes.get(each))] },
      ]),
    ),
    permissions,
    scopes: {
      [tenant]: { type: 'tenant' },
      ...Object.fromEntries(
        [...tree].map(([ref, { parent = tenant }]) => {
          const [type, id] = parts(ref);
          return [ref, { id, type: scopeTypes.get(type), parent }];
        }),
      ),
    },
    roles: Object.fromEntries(roles),
    groups: Object.fromEntries(groups),
    users: Object.fromEntries([...users].map(([id, of]) => [id, { id, ...of }])),
  };
  const store = server === undefined ? undefined : await openStore(server, raw, tuples);
  return {
    manifest,
    left,
    questions: questionsAt([...users.keys()], permissions, [...tree.keys()]),
    ...store,
  };
}

/** Each user, with each permission, at the objects of its type. */
function questionsAt(
  users: readonly string[],
  permissions: readonly string[],
  scopes: readonly string[],
): Questions {
  const asked = permissions.flatMap((permission) =>
    scopes
      .filter((scope) => permission.startsWith(`${parts(scope)[0]}:`))
      .map((scope) => ({ permission, scope })),
  );
  return {
    count: users.length * asked.length,
    at: (position) => ({
      subject: users[Math.floor(position / asked.length)] as string,
      ...(asked[position % asked.length] as (typeof asked)[number]),
    }),
  };
}

/** Objects by reference, each with its parent. */
type Tree = Map<string, { readonly parent: string | undefined }>;

/** Whether an object can be a scope. It is one from then on. */
function stands(ref: string, tree: Tree, { types }: Places): boolean {
  const [type, id] = parts(ref);
  if (!types.has(type) || !isId(id)) return false;
  if (!tree.has(ref)) tree.set(ref, { parent: undefined });
  return true;
}

/** The tree that tuples say, and the tuples that say something else. */
function treeOf(tuples: readonly Tuple[], model: Model, places: Places, leave: Leave) {
  const tree: Tree = new Map();
  const granted: Tuple[] = [];
  for (const tuple of tuples) {
    const { user, relation, object, condition } = tuple;
    const what = `${user} ${relation} ${object}`;
    // A tuple of an older model may still be stored: OpenFGA takes no notice of it.
    if (condition) leave(what, `its condition ${condition.name} is written in the model of OpenFGA`);
    else if (!isDirect(model, tuple)) leave(what, 'no part of the model that was imported asks for it');
    else if (!places.parents.get(parts(object)[0])?.has(relation)) granted.push(tuple);
    else if (!stands(object, tree, places) || !stands(user, tree, places))
      leave(what, 'no scope can have this id');
    else if ((tree.get(object)?.parent ?? user) !== user) leave(what, 'an object has one parent here');
    else if (pathFrom(user, tree).includes(object)) leave(what, 'its objects stand in a circle');
    else tree.set(object, { parent: user });
  }
  return { tree, granted };
}

interface Around {
  readonly model: Model;
  readonly places: Places;
  readonly tree: Tree;
  readonly tenant: string;
}

/** What tuples grant: to users, to members of groups, which stand where they are used, and to everybody. */
function accessOf(granted: readonly Tuple[], { model, places, tree, tenant }: Around, leave: Leave) {
  const members = membersOf(model, granted);
  const roles = new Map<string, object>();
  const groups = new Map<string, { readonly scope: string; readonly roles: readonly string[] }>();
  const users = new Map<string, { groups: string[]; assignments: { role: string; scope: string }[] }>();
  const userNamed = (ref: string) => {
    const [type, id] = parts(ref);
    if (type !== USER || !isId(id)) return undefined;
    const user = users.get(id) ?? { groups: [], assignments: [] };
    users.set(id, user);
    return user;
  };
  for (const { user, relation, object } of granted) {
    const what = `${user} ${relation} ${object}`;
    const [type] = parts(object);
    const { who, whose } = subjectOf(user);
    const isEveryone = user === `${USER}:*`;
    const found = whose === undefined && !isEveryone ? userNamed(user) : undefined;
    const isSomebody = found !== undefined || whose !== undefined || isEveryone;
    if (!places.types.has(type)) {
      if (!isSomebody) leave(what, 'only users are members of groups');
    } else if (!isSomebody) leave(what, 'only users, groups and everybody are granted something');
    else if (!stands(object, tree, places)) leave(what, 'no scope can have this id');
    else {
      const role = `${type} ${relation}`;
      if (!roles.has(role))
        roles.set(role, { owner: tenant, allow: allowedBy(model, places, [type, relation], leave) });
      if (found) {
        found.assignments.push({ role, scope: object });
        continue;
      }
      // A scope has one group of everyone.
      const name = isEveryone ? `everyone at ${object}` : `${who} ${whose}, ${relation} of ${object}`;
      const others = groups.get(name)?.roles ?? [];
      groups.set(name, {
        scope: object,
        roles: [...others, role],
        ...defined({ everyone: isEveryone || undefined }),
      });
      const all = whose === undefined ? undefined : members(who, whose);
      if (all?.unsaid) leave(what, `not all who have ${whose} of ${who} can be listed`);
      for (const member of all?.users ?? []) userNamed(member)?.groups.push(name);
    }
  }
  return { roles, groups, users };
}

/** What a role allows that stands for a relation. What does not hold everywhere below is left out. */
function allowedBy(
  model: Model,
  places: Places,
  granted: readonly [type: string, relation: string],
  leave: Leave,
): readonly string[] {
  const implied = impliedBy(model, places, granted, everywhere);
  for (const [type, relations] of impliedBy(model, places, granted, somewhere))
    for (const each of relations)
      if (!implied.get(type)?.has(each))
        leave(
          `${each} of ${type}, by ${granted[1]} of ${granted[0]}`,
          'it does not hold everywhere below, and what a role allows does',
        );
  return [...implied].flatMap(([type, relations]) =>
    [...relations].filter(isName).map((relation) => permissionOf(type, relation)),
  );
}

const parts = (ref: string): readonly [type: string, id: string] => {
  const colon = ref.indexOf(':');
  return [ref.slice(0, colon), ref.slice(colon + 1)];
};

/** Whom a tuple names: somebody, or all who have a relation of an object. */
function subjectOf(user: string): { readonly who: string; readonly whose: string | undefined } {
  const [, who = user, whose] = /^(.*?)#(.*)$/.exec(user) ?? [];
  return { who, whose };
}

const permissionOf = (type: string, relation: string): string => `${type}:${relation}:${type}`;

function pathFrom(ref: string, tree: Tree): readonly string[] {
  const path: string[] = [];
  for (let at: string | undefined = ref; at !== undefined; at = tree.get(at)?.parent) path.push(at);
  return path;
}

/** A type of objects as a type of scopes: those that come with the table have rules of their own. */
function scopeTypeOf(type: string): string {
  const name = type.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return isScopeType(name) && !isBuiltIn(name) ? name : `fga-${name}`;
}

type Places = ReturnType<typeof placesOf>;

/** Which types are places in the tree, by which relations they name their parents, and of which types those are. */
function placesOf(model: Model) {
  const parents = new Map<string, Set<string>>();
  const above = new Map<string, Set<string>>();
  const groups = new Set<string>();
  for (const [type, relations] of model)
    for (const { from, direct } of relations.values()) {
      for (const { by } of from) {
        const named = relations.get(by)?.direct ?? [];
        parents.set(type, (parents.get(type) ?? new Set()).add(by));
        for (const each of named) above.set(type, (above.get(type) ?? new Set()).add(each.type));
      }
      for (const each of direct) if (each.relation !== undefined) groups.add(each.type);
    }
  const isAbove = new Set([...above.values()].flatMap((all) => [...all]));
  const types = new Set(
    [...model].flatMap(([type, relations]) => {
      const isPlace = !groups.has(type) || parents.has(type) || isAbove.has(type);
      return relations.size > 0 && isPlace ? [type] : [];
    }),
  );
  return { types, parents, above };
}

/** Whether a tuple without a condition counts: a part of the relation names the type of its subject, without one as well. */
function isDirect(model: Model, { user, relation, object }: Tuple): boolean {
  const [type] = parts(object);
  const { who, whose } = subjectOf(user);
  const [userType, id] = parts(who);
  return (model.get(type)?.get(relation)?.direct ?? []).some(
    (direct) =>
      direct.type === userType &&
      direct.relation === whose &&
      // The API writes an empty text for none.
      !direct.condition &&
      (direct.wildcard !== undefined) === (id === '*'),
  );
}

/** All relations of an object that some of them bring. */
function closure(model: Model, type: string, relations: Iterable<string>): ReadonlySet<string> {
  const found = new Set(relations);
  // A set that grows while it is walked: each is looked at once.
  for (const each of found)
    for (const [name, { computed }] of model.get(type) ?? []) if (computed.includes(each)) found.add(name);
  return found;
}

/** Relations of objects, by their types. */
type Implied = ReadonlyMap<string, ReadonlySet<string>>;

/** How what one way through the tree brings to a type goes together with what others bring. */
type Join = (known: ReadonlySet<string>, found: ReadonlySet<string>) => ReadonlySet<string>;
const everywhere: Join = (known, found) => new Set([...known].filter((each) => found.has(each)));
const somewhere: Join = (known, found) => new Set([...known, ...found]);

/**
 * What a tuple on an object of a type brings there and on the objects that may stand below, by their types. A role holds
 * wherever it is granted and everywhere below: it allows what every way through the tree brings.
 */
function impliedBy(
  model: Model,
  { parents, types }: Places,
  [type, relation]: readonly [string, string],
  join: Join,
): Implied {
  const implied = new Map<string, ReadonlySet<string>>([[type, closure(model, type, [relation])]]);
  const below = [...types].flatMap((child) =>
    [...(parents.get(child) ?? [])].flatMap((by) =>
      (model.get(child)?.get(by)?.direct ?? []).map(({ type: parent }) => ({ child, by, parent })),
    ),
  );
  for (let changed = true; changed; ) {
    changed = false;
    for (const { child, by, parent } of below) {
      const at = implied.get(parent);
      if (at === undefined) continue;
      const brought = [...(model.get(child) ?? [])].flatMap(([name, { from }]) =>
        from.some((each) => each.by === by && at.has(each.relation)) ? [name] : [],
      );
      const known = implied.get(child);
      const found = closure(model, child, brought);
      const now = known === undefined ? found : join(known, found);
      if (known !== undefined && now.size === known.size) continue;
      implied.set(child, now);
      changed = true;
    }
  }
  return implied;
}

/** Who has a relation of an object that is no place, such as the members of a group; groups in groups are made flat. */
function membersOf(model: Model, tuples: readonly Tuple[]) {
  const byObject = new Map<string, Tuple[]>();
  for (const tuple of tuples) byObject.set(tuple.object, [...(byObject.get(tuple.object) ?? []), tuple]);
  return (
    object: string,
    relation: string,
  ): { readonly users: ReadonlySet<string>; readonly unsaid: boolean } => {
    const users = new Set<string>();
    let unsaid = false;
    const seen = new Set<string>();
    const visit = (at: string, name: string): void => {
      if (seen.has(`${name} of ${at}`)) return;
      seen.add(`${name} of ${at}`);
      const [type] = parts(at);
      const { computed = [], from = [] } = model.get(type)?.get(name) ?? {};
      if (from.length > 0) unsaid = true;
      for (const tuple of byObject.get(at) ?? []) {
        if (tuple.relation !== name) continue;
        const { who, whose } = subjectOf(tuple.user);
        if (whose !== undefined) visit(who, whose);
        else if (who === `${USER}:*`) unsaid = true;
        else users.add(who);
      }
      for (const each of computed) visit(at, each);
    };
    visit(object, relation);
    return { users, unsaid };
  };
}
