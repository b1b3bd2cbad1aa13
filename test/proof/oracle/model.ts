import type { Actor, Given, TokenGroups } from '../../../engine/index.ts';

/** Values by name. */
export type Properties = Readonly<Record<string, unknown>>;

/**
 * A world as a person would note it down: lists of plain facts, no index, no cache, nothing derived. Subjects
 * and scopes go by reference (`user:01J…`), everything else by id or name; instants are epoch milliseconds.
 */
export interface Model {
  subjects: {
    ref: string;
    status: string;
    endsAt: number;
    account: string | undefined;
    properties?: Properties;
    email?: string;
    /** Of an agent. */
    mandateOptional?: boolean;
  }[];
  /** References of the subjects with the administrator's flag. */
  admins: string[];
  scopes: {
    ref: string;
    parent: string | undefined;
    status: string;
    combination: string;
    /** The enterprise that it is linked to. */
    enterprise: string | undefined;
    properties?: Properties;
  }[];
  scopeTypes: string[];
  /** A group of everyone has no memberships: all subjects are in it. */
  groups: { id: string; scope: string; everyone: boolean }[];
  memberships: { subject: string; group: string }[];
  groupRoles: { group: string; role: string }[];
  /** What the groups in an issuer's tokens are at a root. */
  externalGroups: { id: string; root: string; issuer: string; name: string; group: string }[];
  /** `scope` is `global`, `tenant` or the root that owns the role. */
  roles: { id: string; scope: string; parent: string | undefined }[];
  /** `when`: the condition, if it has one. */
  effects: { role: string; on: string; effect: string; when?: string | undefined }[];
  /** Declared properties: of `subject:user`, `resource:location`, `action` or `context`. */
  declarations: { of: string; name: string; type: string; source: string }[];
  assignments: { subject: string; scope: string; role: string; from: number; until: number }[];
  grants: { subject: string; root: string; roles: readonly string[] }[];
  globalRoles: { subject: string; role: string }[];
  /** Pages and permissions that are registered; a page may belong to a module. */
  permissions: { name: string; module: string | undefined }[];
  modules: { name: string; sold: boolean }[];
  subscriptions: { id: string; scope: string; module: string; status: string; from: number; until: number }[];
  licences: {
    id: string;
    account: string;
    enterprise: string;
    status: string;
    from: number;
    until: number;
  }[];
  /** Login sessions and API tokens, by reference. */
  credentials: { ref: string; subject: string; active: boolean }[];
  routes: { id: string; permission: string; scope: string }[];
  mandates: Mandate[];
}

/** What an actor may do for a subject. */
export interface Mandate {
  id: string;
  subject: string;
  actor: string;
  permissions: readonly string[];
  scopes: readonly string[];
  endsAt: number;
  active: boolean;
  when?: string | undefined;
  /** Whether it has a budget. */
  counted: boolean;
  hash?: string | undefined;
}

export const emptyModel = (): Model => ({
  subjects: [],
  admins: [],
  scopes: [],
  scopeTypes: [],
  groups: [],
  memberships: [],
  groupRoles: [],
  externalGroups: [],
  roles: [],
  effects: [],
  declarations: [],
  assignments: [],
  grants: [],
  globalRoles: [],
  permissions: [],
  modules: [],
  subscriptions: [],
  licences: [],
  credentials: [],
  routes: [],
  mandates: [],
});

/** A question to a world: may `subject` use `permission` at `scope`, at the instant `at`? */
export interface Question {
  readonly subject: string;
  readonly permission: string;
  readonly scope: string;
  readonly at: number;
  /** What the caller knows of subject, resource, action and context. */
  readonly given?: Given | undefined;
  /** The groups that the subject's token names. */
  readonly groups?: TokenGroups | undefined;
  /** Who acts for the subject. */
  readonly actor?: Actor | undefined;
  /** Whether it is asked for now, which `at` then is as well as any later instant of a history. */
  readonly isNow?: boolean | undefined;
}
