import {
  type CacheInput,
  inputsOfConditions,
  isCacheable,
  NO_INPUTS,
} from '../../authorizer/routes/cache-key.ts';
import type { RouteRule, TemplatePart } from '../../authorizer/routes/rule.ts';
import { cel, loadCel } from '../../engine/conditions/load.ts';
import { inTurns } from '../../provisioning/index.ts';
import { isName } from '../../table/identifiers.ts';
import { namesCovering } from '../../table/permission-name.ts';
import type { Sender } from '../provisioning.ts';

/** What conditions on the permission of a rule, of any role, take from requests. */
export type ConditionsOf = (rule: RouteRule) => readonly CacheInput[];

/** What has a rule: a route, or one that may become a route. */
export interface Ruled {
  readonly rule: RouteRule;
}

type List = Sender['list'];

/** How many lists are read at the same time. */
const AT_ONCE = 16;

/**
 * Reads the effects on the permissions that the rules of routes may need, with those by patterns. A rule that takes its
 * permission from a request may need each registered one that its template fits.
 */
export async function readConditions(
  { list }: Pick<Sender, 'list'>,
  routes: readonly Ruled[],
): Promise<ConditionsOf> {
  const cacheable = routes.map(({ rule }) => rule).filter(({ method }) => isCacheable(method));
  const isOpen = cacheable.some(({ permission }) => permission.some(({ kind }) => kind !== 'literal'));
  const registered = isOpen ? await registeredNames(list) : [];
  const namesOf = new Map(cacheable.map((rule) => [rule, namesFor(rule.permission, registered)]));
  const wanted = [...new Set([...namesOf.values()].flat().flatMap(namesCovering))];
  const inputs = new Map<string, readonly CacheInput[]>();
  await inTurns(wanted, async (name) => inputs.set(name, await inputsOn(list, name)), AT_ONCE);
  return (rule) => {
    const names = (namesOf.get(rule) ?? []).flatMap(namesCovering);
    return [...new Set(names.flatMap((name) => inputs.get(name) ?? NO_INPUTS))];
  };
}

const registeredNames = async (list: List): Promise<readonly string[]> =>
  [...(await list('page.list', {})), ...(await list('permission.list', {}))].map(({ name }) => String(name));

/** The permissions that a template may become. */
function namesFor(template: readonly TemplatePart[], registered: readonly string[]): readonly string[] {
  if (template.every(({ kind }) => kind === 'literal'))
    return [template.map((part) => (part.kind === 'literal' ? part.text : '')).join('')];
  const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const form = template.map((part) => (part.kind === 'literal' ? escaped(part.text) : '(.+)')).join('');
  const fits = new RegExp(`^${form}$`, 'u');
  return registered.filter((name) => fits.exec(name)?.slice(1).every(isName) ?? false);
}

/** What the conditions of all roles' effects on a permission or pattern take from requests. */
async function inputsOn(list: List, permission: string): Promise<readonly CacheInput[]> {
  const inputs: CacheInput[] = [];
  for (const { when } of await list('role-permission.list', { permission })) {
    if (typeof when !== 'string') continue;
    await loadCel();
    inputs.push(...inputsOfConditions(usesOf(when)));
  }
  return inputs;
}

/** Nothing for an expression that cannot be parsed: it never holds, whatever the request. */
function usesOf(when: string): readonly string[] {
  try {
    return cel().parse(when).uses;
  } catch {
    return [];
  }
}
