import type { ScopeItem, SubjectItem } from '../../table/decision/items.ts';

/** Items of the table as the engine reads them, with nothing in them but what a test gives. */
export const subjectItem = (changes: Partial<SubjectItem> = {}): SubjectItem => ({
  active: true,
  endsAt: Number.POSITIVE_INFINITY,
  isAdmin: false,
  mandateOptional: false,
  groups: [],
  groupsApart: false,
  groupsAt: new Map(),
  groupRoles: new Map(),
  globalRoles: [],
  grants: new Map(),
  assignments: new Map(),
  properties: {},
  ...changes,
});

export const scopeItem = (ref: string, changes: Partial<ScopeItem> = {}): ScopeItem => ({
  ref,
  active: true,
  ancestors: [],
  combination: 'allow-overrides',
  groups: new Map(),
  groupsApart: false,
  roles: new Map(),
  closing: undefined,
  denials: new Set(),
  subscriptions: new Map(),
  licenses: new Map(),
  enterprise: undefined,
  properties: {},
  everyone: undefined,
  ...changes,
});
