import * as attribute from '../../table/decision/attributes.ts';
import { decodeScope } from '../../table/decision/decode.ts';
import { FORMS } from '../../table/form.ts';
import type { Item } from '../../table/item.ts';
import { ID, OTHER_ID, UUID } from './support.ts';

/** One sound decision item of each kind. */
export const TENANT = `tenant:${OTHER_ID}`;
export const START = '2026-03-01T00:00:00.000Z';
export const END = '2026-04-01T00:00:00.000Z';

/** A decision item as the writer makes it. */
export const item = (PK: string, attributes: Record<string, unknown>): Item => ({
  PK,
  SK: 'DECISION',
  Type: 'Decision',
  v: FORMS.usual,
  writtenAt: 1_000,
  writeId: 'write-1',
  ...attributes,
});

export const SUBJECT = item(`USER#${ID}`, {
  status: 'active',
  endsAt: END,
  isAdmin: true,
  groups: new Set(['g1', 'g2']),
  roles: new Set(['r1']),
  properties: { department: 'sales' },
  [attribute.grantAttribute(TENANT)]: new Set(['r2']),
  [attribute.assignmentAttribute(TENANT, 'r3')]: `${START}/${END}`,
  [attribute.assignmentAttribute(TENANT, 'r4')]: '/',
});
export const SCOPE = item(`LOCATION#${ID}`, {
  status: 'active',
  ancestors: [`location:${UUID}`, TENANT],
  combination: 'deny-overrides',
  [attribute.groupAttribute('g1')]: new Set(['r1', 'r2']),
  [attribute.roleAttribute('r5')]: '',
  [attribute.roleAttribute('r6')]: 'r5',
  [attribute.patternAttribute('r5', 'a:*:*')]: 'ALLOW',
  [attribute.patternAttribute('r5', '*:*:*')]: 'DENY',
  [attribute.patternAttribute('gone', '*:*:*')]: 'ALLOW',
  [attribute.patternAttribute('r6', 'b:*:*')]: { effect: 'ALLOW', when: 'resource.id == subject.id' },
  properties: { status: 'archived', tags: ['a', 'b'] },
});
/** A root whose roles are folded (ADR 0003). */
export const FOLDED_ROOT = item(`TENANT#${ID}`, {
  v: 2,
  status: 'active',
  roleTable: 'folded',
  [attribute.heirsAttribute('r1')]: new Set(['r2', 'r3']),
  [attribute.foldedPatternAttribute('ALLOW', 'a:*:*')]: new Set(['r1', 'r2']),
  [attribute.foldedPatternAttribute('DENY', '*:*:*')]: new Set(['r2', 'gone']),
  [attribute.patternAttribute('r4', 'b:*:*')]: { effect: 'ALLOW', when: 'true' },
  closing: new Set(['gone']),
});
export const ROLES = item('GLOBAL#GATEHOUSE', {
  [attribute.roleAttribute('r1')]: '',
  [attribute.patternAttribute('r1', 'a:b:*')]: 'DENY',
  [attribute.propertyAttribute('subject:user', 'department')]: 'string stored',
});
export const PERMISSION = item('PAGE#p', {
  registered: true,
  allow: new Set(['r1']),
  deny: new Set(['r2', 'r3']),
  [attribute.conditionAttribute('r4')]: { effect: 'DENY', when: 'true' },
});

export const decodeThisScope = (given: Item) => decodeScope(`location:${ID}`, given);
