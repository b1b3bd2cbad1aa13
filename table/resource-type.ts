import { invalid } from './errors.ts';
import { isId, isSafeText, isType } from './identifiers.ts';
import { readPermissionName } from './permission-name.ts';
import { isMap, type Misfit } from './value.ts';

/**
 * How the resources of one type are decided (ADR 0021, The AuthZEN API): which permission an action is, and, for
 * objects of the application that no table keeps, at which scope.
 */
export interface ResourceType {
  /** A permission with `{type}` and `{action}`, for actions that `actions` does not name. */
  readonly permission: string;
  /** Permissions by action. */
  readonly actions: ReadonlyMap<string, string>;
  /** `tenant:acme`, or `tenant:{property}` from a property that the caller passes. Undefined: a scope. */
  readonly scope: string | undefined;
}

/** A type that nobody has registered: its resources are scopes. */
export const DEFAULT_RESOURCE_TYPE: ResourceType = {
  permission: '{type}:{action}:{type}',
  actions: new Map(),
  scope: undefined,
};

/** The longest id of an object that no table keeps, in characters. */
const MAX_OBJECT_ID = 256;

/** The most actions of one type that have a permission of their own. */
export const MAX_ACTIONS = 100;

/** What stands before and after the action in permissions of a type, in which `$&` has no meaning. */
const around = (template: string, type: string): readonly string[] =>
  template.split('{action}', 2).map((part) => part.replaceAll('{type}', () => type));

/** The permission of an action on resources of a type. It may be no permission at all. */
export const permissionOf = (own: ResourceType, type: string, action: string): string =>
  own.actions.get(action) ??
  own.permission
    .split(/(\{(?:type|action)\})/)
    .map((part) => (part === '{type}' ? type : part === '{action}' ? action : part))
    .join('');

/**
 * The action that a permission is on resources of a type, by the template; undefined if it is none, or if the
 * action of this name has a permission of its own.
 */
export function actionOf(own: ResourceType, type: string, permission: string): string | undefined {
  const [before = '', after = ''] = around(own.permission, type);
  const isLike =
    permission.length > before.length + after.length &&
    permission.startsWith(before) &&
    permission.endsWith(after);
  if (!isLike) return undefined;
  const action = permission.slice(before.length, permission.length - after.length);
  return own.actions.has(action) ? undefined : action;
}

const PROPERTY = /^\{([A-Za-z_][A-Za-z0-9_]{0,63})\}$/;

/**
 * The scope at which a resource is decided, as a reference; undefined if it names none: a scope by its own
 * type and id, otherwise by the scope of its type.
 */
export function scopeOf(
  { scope }: ResourceType,
  { type, id, properties = {} }: Resource,
): string | undefined {
  if (scope === undefined) return `${type}:${id}`;
  if (id.length > MAX_OBJECT_ID) return undefined;
  const colon = scope.indexOf(':') + 1;
  const [, property] = PROPERTY.exec(scope.slice(colon)) ?? [];
  if (property === undefined) return scope;
  const value = Object.hasOwn(properties, property) ? properties[property] : undefined;
  return typeof value === 'string' && isId(value) ? scope.slice(0, colon) + value : undefined;
}

/** What is asked about. */
export interface Resource {
  readonly type: string;
  readonly id: string;
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
}

/** Whether the text can be the permission of a type: with `{action}` once, and a permission when filled in. */
export const isPermissionTemplate = (text: string): boolean =>
  text.split('{action}').length === 2 &&
  readPermissionName(around(text, 'type').join('action')) !== undefined;

/** Whether the text can be the scope of a type: `type:id` or `type:{property}`. */
export function isScopeTemplate(text: string): boolean {
  const colon = text.indexOf(':');
  const id = text.slice(colon + 1);
  return colon > 0 && isType(text.slice(0, colon)) && (PROPERTY.test(id) || isId(id));
}

/** Reads what the table keeps of a type. Throws `invalid` naming the field. */
export function parseResourceType(stored: Readonly<Record<string, unknown>>): ResourceType {
  const { permission = DEFAULT_RESOURCE_TYPE.permission, actions = {}, scope } = stored;
  if (typeof permission !== 'string' || !isPermissionTemplate(permission))
    throw invalid('permission', 'permission is no permission with {action} in it');
  if (scope !== undefined && (typeof scope !== 'string' || !isScopeTemplate(scope)))
    throw invalid('scope', 'scope is neither type:id nor type:{property}');
  const misfit = misfitOfActions(actions);
  if (misfit) throw invalid(['actions', ...misfit.path].join('.'), misfit.message);
  return { permission, actions: new Map(Object.entries(actions as Record<string, string>)), scope };
}

/** Why a value cannot map actions to permissions; undefined if it can. */
export function misfitOfActions(value: unknown): Misfit | undefined {
  if (!isMap(value)) return { path: [], message: 'must be a map' };
  const entries = Object.entries(value);
  if (entries.length > MAX_ACTIONS) return { path: [], message: `has more than ${MAX_ACTIONS} actions` };
  for (const [action, permission] of entries) {
    const path = [action];
    if (action === '' || action.length > MAX_OBJECT_ID || !isSafeText(action) || action === '__proto__')
      return { path, message: 'is no name of an action' };
    if (typeof permission !== 'string' || readPermissionName(permission) === undefined)
      return { path, message: 'is neither a page name nor module:action:resource' };
  }
  return undefined;
}
