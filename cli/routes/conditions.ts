import {
  type CacheInput,
  inputsOfConditions,
  isCacheable,
  NO_INPUTS,
} from '../../authorizer/routes/cache-key.ts';
import type { RouteRule, TemplatePart } from '../../authorizer/routes/rule.ts';
import { cel, loadCel } from '../../engine/conditions/load.ts';
import { isName } from '../../table/identifiers.ts';
import { patternsCovering } from '../../table/permission-name.ts';
import { listAll, type Send } from '../provisioning.ts';

/** What conditions on the permission of a rule, of any role, take from requests. */
export type ConditionsOf = (rule: RouteRule) => readonly CacheInput[];

/** How many lists are read at the same time. */
const AT_ONCE = 16;

/**
 * Reads the effects on the permissions that rules may need, with those by patterns. A rule that takes its
 * permission from a request may need each registered one that its template fits.
 */
export async function readConditions(send: Send, rules: readonly RouteRule[]): Promise<ConditionsOf> {
  const cacheable = rules.filter(({ method }) => isCacheable(method));
  const isOpen = cacheable.some(({ permission }) => permission.some(({ kind }) => kind !== 'literal'));
  const registered = isOpen ? await registeredNames(send) : [];
  const namesOf = new Map(cacheable.map((rule) => [rule, namesFor(rule.permission, registered)]));
  const coveredBy = (name: string): readonly string[] => [name, ...patternsCovering(name)];
  const wanted = [...new Set([...namesOf.values()].flat().flatMap(coveredBy))];
  const inputs = new Map<string, readonly CacheInput[]>();
  for (let start = 0; start < wanted.length; start += AT_ONCE)
    await Promise.all(
      wanted.slice(start, start + AT_ONCE).map(async (name) => {
        inputs.set(name, await inputsOn(send, name));
      }),
    );
  return (rule) => {
    const names = (namesOf.get(rule) ?? []).flatMap(coveredBy);
    return [...new Set(names.flatMap((name) => inputs.get(name) ?? NO_INPUTS))];
  };
}

async function registeredNames(send: Send): Promise<readonly string[]> {
  const names: string[] = [];
  for (const command of ['page.list', 'permission.list'])
    for await (const { name } of listAll(send, command, {})) names.push(String(name));
  return names;
}

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
async function inputsOn(send: Send, permission: string): Promise<readonly CacheInput[]> {
  const inputs: CacheInput[] = [];
  for await (const { when } of listAll(send, 'role-permission.list', { permission })) {
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
