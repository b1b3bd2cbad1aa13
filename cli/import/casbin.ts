import { groupBy } from '../../table/group-by.ts';
import { isId, isName, isSafeText } from '../../table/identifiers.ts';
import { ProblemsError } from '../../testing/document.ts';
import { readText } from '../../testing/text-file.ts';
import { type Comparison, type Matcher, partsOf, readMatcher } from './casbin-matcher.ts';
import {
  createLeft,
  type Imported,
  type ImportOptions,
  type Leave,
  type Question,
  questionsOf,
} from './imported.ts';
import { loadOther } from './other-package.ts';

/** What is used of the package `casbin`. */
interface Casbin {
  readonly newEnforcer: (model: string, policy: string) => Promise<Enforcer>;
}
interface Enforcer {
  readonly getPolicy: () => Promise<readonly (readonly string[])[]>;
  readonly getNamedGroupingPolicy: (type: string) => Promise<readonly (readonly string[])[]>;
  readonly enforce: (...request: readonly string[]) => Promise<boolean>;
  readonly getModel: () => {
    readonly model: ReadonlyMap<string, ReadonlyMap<string, { tokens: readonly string[]; value: string }>>;
  };
}

/** A line of policy, by the names of its parts. */
interface Line {
  readonly text: string;
  readonly sub: string;
  /** Undefined for all domains. */
  readonly dom: string | undefined;
  readonly obj: string;
  readonly act: string;
  readonly isDeny: boolean;
}

/** Links that Casbin follows from a subject to a role. */
const MOST_LINKS = 10;

const EFFECTS: Readonly<Record<string, { readonly denies: boolean; readonly note?: string }>> = {
  'some(where(p_eft==allow))': { denies: false },
  'some(where(p_eft==allow))&&!some(where(p_eft==deny))': { denies: true },
  'priority(p_eft)||deny': {
    denies: true,
    note: 'the order of lines: here one deny refuses, wherever it stands',
  },
};

/**
 * Imports a model and a policy of Casbin: roles, within domains or not, roles of objects and actions, deny lines. Roles are made flat:
 * each holds what it inherits, as far as Casbin follows links.
 *
 * @param files the model and the policy, in the forms of its file adapter
 * @throws ProblemsError for a model that asks what no manifest can say
 */
export async function importCasbin(
  [model = '', policy = '']: readonly string[],
  { tenant, module }: Pick<ImportOptions, 'tenant' | 'module'>,
): Promise<Imported> {
  const { newEnforcer } = await loadOther<Casbin>('casbin', 'an import from it');
  const enforcer = await newEnforcer(model, policy).catch(async (error: unknown) => {
    // Casbin does not say which of the two it cannot read.
    for (const file of [model, policy]) await readText(file);
    throw new ProblemsError([{ file: model, message: `Casbin cannot read it: ${String(error)}` }]);
  });
  const { left, leave } = createLeft();
  const { matcher, order, denies } = readModel(enforcer, model, leave);
  const lines = await linesOf(enforcer, matcher, denies, leave);
  const kinds = hasKinds(matcher) ? await linksOf(enforcer, 'g2', false) : NO_LINKS;
  const spread = lines.flatMap((line) => withMembers(line, matcher, kinds));
  const { allows, refuses } = sayable(spread, matcher, leave);

  const roles = matcher.hasRoles ? await linksOf(enforcer, 'g', matcher.hasRoleDomains) : NO_LINKS;
  const isRole = new Set(roles.links.map(({ to }) => to));
  const hasLines = new Set(lines.map(({ sub }) => sub));
  // Casbin does not tell roles from users: lines do for most, and a role without any may be somebody.
  for (const name of unique(roles.links.map(({ from }) => from)))
    if (isRole.has(name) && !hasLines.has(name))
      leave(name, 'others have it: it is a role here, and no user');
  const isSubject = new Set(
    unique([...roles.links.map(({ from }) => from), ...spread.map(({ sub }) => sub)]).filter(
      (name) => !isRole.has(name) && isUser(name, leave),
    ),
  );
  const said = [...allows, ...refuses];
  const permissionOf = (obj: string, act: string): string => `${module}:${act}:${obj}`;
  const [objects, actions] = [said.map(({ obj }) => obj), said.map(({ act }) => act)];
  const meant = (value: string, all: readonly string[]) =>
    value === '*' ? unique(all).filter((each) => each !== '*') : [value];
  const permissions = unique(
    said.flatMap(({ obj, act }) =>
      meant(obj, objects).flatMap((one) => meant(act, actions).map((other) => permissionOf(one, other))),
    ),
  );

  const hasDomains = order.includes('dom');
  const domains = hasDomains
    ? unique([...spread.flatMap(({ dom }) => dom ?? []), ...roles.links.flatMap(({ dom }) => dom ?? [])])
    : [tenant];
  const bySubject = groupBy(said, ({ sub }) => sub);
  const manifestRoles: Record<string, object> = {};
  const grants = new Map<string, Record<string, readonly string[]>>();
  for (const domain of domains) {
    const isThere = ({ dom }: { readonly dom: string | undefined }) => dom === undefined || dom === domain;
    const grantedThere = [
      ...roles.links.filter(isThere).map(({ from, to }) => ({ subject: from, name: to })),
      // Lines of somebody's own are a role that nobody else has.
      ...unique(said.filter(isThere).map(({ sub }) => sub)).map((sub) => ({ subject: sub, name: sub })),
    ].filter(({ subject }) => isSubject.has(subject));
    const named = (name: string): string => (hasDomains ? `${name} at ${domain}` : name);
    for (const name of unique(grantedThere.map((each) => each.name))) {
      const lines = [name, ...(isSubject.has(name) ? [] : roles.above(name, domain, MOST_LINKS - 1))]
        .flatMap((each) => bySubject.get(each) ?? [])
        .filter(isThere);
      const of = (isDeny: boolean) =>
        unique(lines.filter((line) => line.isDeny === isDeny).map(({ obj, act }) => permissionOf(obj, act)));
      const deny = of(true);
      // A role has one effect on a permission, and a deny refuses beside an allow.
      const allow = of(false).filter((permission) => !deny.includes(permission));
      manifestRoles[named(name)] = { name, owner: domain, allow, deny };
    }
    for (const { subject, name } of grantedThere) {
      const own = grants.get(subject) ?? {};
      grants.set(subject, own);
      own[domain] = unique([...(own[domain] ?? []), named(name)]);
    }
  }
  const combination = refuses.length > 0 ? 'deny-overrides' : 'allow-overrides';
  const manifest = {
    permissions,
    scopes: Object.fromEntries(
      domains.map((name) => [name, { ...(isId(name) ? { id: name } : {}), type: 'tenant', combination }]),
    ),
    roles: manifestRoles,
    users: Object.fromEntries([...isSubject].map((id) => [id, { id, grants: grants.get(id) ?? {} }])),
  };
  const ask = ({ subject, permission, scope }: Question): Promise<boolean> => {
    const [, act = '', obj = ''] = permission.split(':');
    const parts: Readonly<Record<string, string>> = { sub: subject, dom: scope, obj, act };
    return enforcer.enforce(...order.map((name) => parts[name] ?? ''));
  };
  return { manifest, left, questions: questionsOf([...isSubject], permissions, domains), ask };
}

const unique = <T>(all: readonly T[]): readonly T[] => [...new Set(all)];

/** @throws ProblemsError for what no manifest can say */
function readModel(enforcer: Enforcer, file: string, leave: Leave) {
  const { model } = enforcer.getModel();
  const refuse = (message: string) => new ProblemsError([{ file, message }]);
  const tokensOf = (name: 'r' | 'p'): readonly string[] =>
    (model.get(name)?.get(name)?.tokens ?? []).map((token) => token.slice(2));
  const order = tokensOf('r');
  for (const [name, most] of [
    ['r', ['sub', 'dom', 'obj', 'act']],
    ['p', ['sub', 'dom', 'obj', 'act', 'eft']],
  ] as const) {
    const tokens = tokensOf(name);
    const other = tokens.find((token) => !(most as readonly string[]).includes(token));
    if (other !== undefined) throw refuse(`${name} has ${other}: only ${most.join(', ')} can be imported`);
    for (const token of ['sub', 'obj', 'act'])
      if (!tokens.includes(token)) throw refuse(`${name} has no ${token}`);
  }
  const written = model.get('e')?.get('e')?.value ?? '';
  const effect = EFFECTS[written.replaceAll(/\s+/g, '')];
  if (!effect) throw refuse(`the policy effect ${written} allows or refuses otherwise than roles do`);
  if (effect.note !== undefined) leave(written, effect.note);
  const expression = model.get('m')?.get('m')?.value ?? '';
  const alternatives = partsOf(expression, '||').map((text) => ({ text, read: readMatcher(text) }));
  const [found, ...others] = [
    ...alternatives.filter(({ read }) => typeof read !== 'string'),
    ...alternatives.filter(({ read }) => typeof read === 'string'),
  ];
  const matcher = found?.read;
  if (found === undefined || matcher === undefined || typeof matcher === 'string')
    throw refuse(`the matcher asks what roles cannot say, and so restricts every line: ${matcher}`);
  // Another alternative matches deny lines as well.
  if (effect.denies && others.length > 0)
    throw refuse(`the matcher has another alternative, which may refuse as well: ${others[0]?.text}`);
  for (const { text } of others) leave(text, 'another alternative of the matcher');
  for (const [type, parts] of [
    ['g', matcher.hasRoles ? (matcher.hasRoleDomains ? 3 : 2) : 0],
    ['g2', hasKinds(matcher) ? 2 : 0],
  ] as const) {
    const defined = model.get('g')?.get(type)?.value.split(',').length ?? 0;
    if (parts > 0 && defined !== parts)
      throw refuse(`${type} has ${defined} parts, and the matcher gives ${parts}`);
  }
  return { matcher, order, denies: effect.denies };
}

async function linesOf(
  enforcer: Enforcer,
  { hasDomains }: Matcher,
  denies: boolean,
  leave: Leave,
): Promise<readonly Line[]> {
  const tokens = (enforcer.getModel().model.get('p')?.get('p')?.tokens ?? []).map((token) => token.slice(2));
  const lines: Line[] = [];
  for (const values of await enforcer.getPolicy()) {
    const of = Object.fromEntries(tokens.map((token, at) => [token, values[at] ?? '']));
    const text = ['p', ...values].join(', ');
    // Of a line without the part that its model has, Casbin takes neither effect.
    const { sub = '', obj = '', act = '', eft = 'allow' } = of;
    const isDeny = eft === 'deny';
    if (isDeny && !denies)
      leave(text, 'it has no effect: the policy effect of the model looks at allow lines alone');
    else if (!isDeny && eft !== 'allow') leave(text, `its effect is ${eft || 'empty'}`);
    else lines.push({ text, sub, dom: hasDomains ? of.dom : undefined, obj, act, isDeny });
  }
  return lines;
}

interface Link {
  readonly from: string;
  readonly to: string;
  /** Undefined for all domains. */
  readonly dom: string | undefined;
}
type Links = Awaited<ReturnType<typeof linksOf>>;

/** Who is linked to what: `g` or `g2`. */
async function linksOf(enforcer: Enforcer, type: 'g' | 'g2', hasDomains: boolean) {
  const written = await enforcer.getNamedGroupingPolicy(type);
  return linked(
    written.map(([from = '', to = '', dom]) => ({ from, to, dom: hasDomains ? dom : undefined })),
  );
}

function linked(links: readonly Link[]) {
  const [byFrom, byTo] = [groupBy(links, ({ from }) => from), groupBy(links, ({ to }) => to)];
  const walk = (
    start: string,
    most: number,
    next: (name: string) => readonly string[],
  ): readonly string[] => {
    const found = new Set([start]);
    let level: readonly string[] = [start];
    for (let step = 0; step < most && level.length > 0; step++) {
      level = unique(level.flatMap(next)).filter((each) => !found.has(each));
      for (const each of level) found.add(each);
    }
    found.delete(start);
    return [...found];
  };
  return {
    links,
    above: (name: string, domain: string, most: number) =>
      walk(name, most, (at) =>
        (byFrom.get(at) ?? []).flatMap(({ to, dom }) => (dom === undefined || dom === domain ? [to] : [])),
      ),
    below: (name: string, most: number) =>
      walk(name, most, (at) => (byTo.get(at) ?? []).map(({ from }) => from)),
  };
}
const NO_LINKS = linked([]);

/** Whether objects or actions have roles. */
const hasKinds = ({ object, action }: Matcher): boolean => object === 'g2' || action === 'g2';

/** A line for each object, and each action, that has the role of the line's own. */
function withMembers(line: Line, { object, action }: Matcher, kinds: Links): readonly Line[] {
  const all = (value: string, how: Comparison): readonly string[] =>
    how === 'g2' ? [value, ...kinds.below(value, MOST_LINKS)] : [value];
  return all(line.obj, object).flatMap((obj) => all(line.act, action).map((act) => ({ ...line, obj, act })));
}

/** The lines that a manifest can say. A deny line that it cannot takes the allow lines that it may restrict with it. */
function sayable(lines: readonly Line[], { object, action }: Matcher, leave: Leave) {
  const isSaid = (value: string, how: Comparison): boolean =>
    isName(value) || (value === '*' && how === 'equal or *');
  const isSaidLine = ({ sub, obj, act, isDeny }: Line): boolean =>
    isSafeText(sub) &&
    isSaid(obj, object) &&
    isSaid(act, action) &&
    !(isDeny && (object === 'pattern' || action === 'pattern'));
  const unsaid = lines.filter((line) => !isSaidLine(line));
  for (const { text } of unsaid)
    leave(text, 'no permission can be called so: paths are for routes, patterns for nothing else');
  const covers = (value: string, how: Comparison, other: string): boolean =>
    how === 'pattern' || other === '*' || value === '*' || value === other;
  const isRestricted = (allow: Line): Line | undefined =>
    unsaid.find(
      (deny) =>
        deny.isDeny &&
        (deny.dom === undefined || allow.dom === undefined || deny.dom === allow.dom) &&
        covers(deny.obj, object, allow.obj) &&
        covers(deny.act, action, allow.act),
    );
  const said = lines.filter(isSaidLine);
  const allows = said.filter((line) => {
    const by = line.isDeny ? undefined : isRestricted(line);
    if (by) leave(line.text, `restricted by a line that cannot be said: ${by.text}`);
    return !line.isDeny && !by;
  });
  return { allows, refuses: said.filter(({ isDeny }) => isDeny) };
}

function isUser(name: string, leave: Leave): boolean {
  if (isId(name)) return true;
  leave(name, 'no user can have this id');
  return false;
}
