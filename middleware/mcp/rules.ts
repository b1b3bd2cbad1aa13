import type { Properties } from '../../table/properties.ts';
import { parseScopeTemplate, type TemplatePart } from '../../table/route-template.ts';
import { type Caller, invalidOption, isText } from '../caller.ts';
import { filled } from '../guard.ts';
import { ownValue } from '../http.ts';

/** What a tool, a resource or a prompt needs. */
export interface McpRule<Permission extends string = string> {
  readonly permission: Permission;
  /**
   * Where: `tenant:acme`, or a template as guards have it: `location:{place}` takes the argument `place` (of a
   * resource a variable of its URI), `tenant:{claim:tenant_id}` a claim. Headers and queries are refused.
   */
  readonly scope: string;
  /** The arguments that conditions and budgets see as `action.properties`. Default: none. */
  readonly action?: readonly string[] | undefined;
}

/** Rules by the name of what is registered. What has none is refused. */
export type McpRules<Permission extends string = string> = Readonly<Record<string, McpRule<Permission>>>;

/** A rule, checked when the guard is made. */
export interface Rule {
  readonly permission: string;
  readonly scope: readonly TemplatePart[];
  readonly action: readonly string[];
}

/** The arguments of a call, as its handler gets them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** @throws GatehouseError `invalid` on the field, `tools.pay.scope` */
export function rulesOf(kind: string, declared: McpRules = {}): ReadonlyMap<string, Rule> {
  return new Map(
    Object.entries(declared).map(([name, { permission, scope, action = [] }]) => {
      const field = `${kind}.${name}`;
      if (!isText(permission)) throw invalidOption(`${field}.permission`, 'a permission');
      if (!isText(scope)) throw invalidOption(`${field}.scope`, 'a scope or a template');
      if (!Array.isArray(action) || !action.every(isText))
        throw invalidOption(`${field}.action`, 'a list of names of arguments');
      const parts = parseScopeTemplate(scope, `${field}.scope`);
      if (parts.some((part) => part.kind === 'header' || part.kind === 'query'))
        throw invalidOption(`${field}.scope`, 'of arguments and claims only');
      return [name, { permission, scope: parts, action }];
    }),
  );
}

/** The scope of a call. An argument or a claim that is missing, no text or no id gives undefined. */
export const scopeOf = ({ scope }: Rule, given: Arguments, { claims }: Caller): string | undefined =>
  filled(scope, ({ kind, name }) => ownValue(kind === 'path' ? given : claims, name));

/** Whether the scope is known before the call. */
export const isFixed = ({ scope }: Rule): boolean => scope.every(({ kind }) => kind !== 'path');

export const propertiesOf = ({ action }: Rule, given: Arguments): Properties =>
  Object.fromEntries(action.map((name) => [name, ownValue(given, name)]));
