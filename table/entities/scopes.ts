import * as z from 'zod';
import { normaliseCode, normaliseName } from '../normalise.ts';
import type { Entity } from './entity.ts';
import * as field from './fields.ts';

/** The scopes, places where access is granted: their attributes. What may stand under what: scope-types.ts. */
const status = <S extends string>(...others: readonly [S, ...S[]]) =>
  z.enum(['active', ...others]).optional();

/** How effects combine in the whole tree below: chosen by its root. */
const combination = z.enum(['allow-overrides', 'deny-overrides']).optional();
const parent = field.ref.optional();
const description = field.text(1_000).optional();
const words = field.text(256).optional();
const email = field.contactEmail.optional();
const phone = field.contactPhone.optional();
const properties = field.properties.optional();
const open = { status: 'active' };
const root = { ...open, combination: 'allow-overrides' };
/** Every scope is listed in its tenant, by type and time of creation, and by its path. */
const listed = {
  inTenant: { tenant: 'root', time: 'createdAt' },
  inTree: true,
  named: { kind: 'scope', by: ['name'], above: 'ancestors' },
} as const;
const nameGuard = (kind: string) => [{ kind, field: 'name', normalise: normaliseName }];

/** A scope that always has a parent. */
const below = {
  defaults: open,
  immutable: ['parent'],
  guards: [],
  listShards: 4,
  ...listed,
} as const;

/** A root scope with nothing but a name, which is unique. */
const organisation = <T extends string>(type: T, guard: string, summary: string) => ({
  type,
  summary,
  attributes: z.strictObject({
    name: field.name,
    description,
    status: status('suspended'),
    combination,
    properties,
  }),
  defaults: root,
  guards: nameGuard(guard),
  listShards: 4,
  ...listed,
});

export const SCOPES = {
  tenant: organisation('tenant', 'TENANT_NAME', 'A root scope: the isolation boundary.'),
  location: {
    type: 'location',
    hangsOn: ['parent'],
    summary: 'A place: a root of its own, or under a tenant.',
    attributes: z.strictObject({
      name: field.name,
      code: field.normalised(normaliseCode).optional(),
      address: description,
      parent,
      status: status('suspended'),
      combination,
      properties,
    }),
    defaults: root,
    immutable: ['parent'],
    guards: [{ kind: 'LOCATION_CODE', field: 'code', normalise: normaliseCode }],
    listShards: 4,
    ...listed,
    named: { kind: 'scope', by: ['name', 'code'], above: 'ancestors' },
  },
  client: {
    type: 'client',
    summary: 'A customer of facility management: a root scope.',
    attributes: z.strictObject({
      name: field.name,
      status: status('suspended'),
      combination,
      logoUrl: field.webAddress.optional(),
      primaryContactEmail: email,
      primaryContactName: words,
      timezone: field.timezone.optional(),
      billingEmail: email,
      address: description,
      phone,
      properties,
    }),
    defaults: { ...root, timezone: 'UTC' },
    guards: nameGuard('CLIENT_NAME'),
    listShards: 4,
    ...listed,
  },
  project: {
    type: 'project',
    hangsOn: ['parent'],
    summary: 'A project of a client.',
    attributes: z.strictObject({
      parent: field.ref,
      name: field.name,
      description,
      status: status('completed', 'on-hold'),
      startDate: field.date.optional(),
      endDate: field.date.optional(),
      region: words,
      ownerUserId: field.id.optional(),
      properties,
    }),
    ...below,
  },
  building: {
    type: 'building',
    hangsOn: ['parent'],
    summary: 'A building of a project.',
    attributes: z.strictObject({
      parent: field.ref,
      name: field.name,
      address: description,
      city: words,
      state: words,
      country: words,
      postalCode: words,
      timezone: field.timezone.optional(),
      squareFootage: field.measure.optional(),
      floors: z.int().min(0).max(1_000).optional(),
      yearBuilt: z.int().min(1).max(9_999).optional(),
      status: status('inactive'),
      geoLatitude: field.number(-90, 90).optional(),
      geoLongitude: field.number(-180, 180).optional(),
      properties,
    }),
    ...below,
  },
  zone: {
    type: 'zone',
    hangsOn: ['parent'],
    summary: 'A part of a building or of another zone.',
    attributes: z.strictObject({
      parent: field.ref,
      name: field.name,
      description,
      floor: words,
      areaSqft: field.measure.optional(),
      type: z.enum(['office', 'lobby', 'utility']).optional(),
      status: status('inactive'),
      geoJson: field.map.optional(),
      properties,
    }),
    ...below,
    listShards: 8,
  },
  device: {
    type: 'device',
    hangsOn: ['parent'],
    summary: 'A device in a building or in one of its zones.',
    attributes: z.strictObject({
      parent: field.ref,
      name: field.name,
      type: z.enum(['hvac', 'camera', 'robot']).optional(),
      manufacturer: words,
      model: words,
      serialNumber: words,
      locationDescription: description,
      status: status('inactive'),
      configuration: field.map.optional(),
      lastSeenAt: field.instant.optional(),
      properties,
    }),
    ...below,
    listShards: 16,
  },
  account: organisation('account', 'ACCOUNT_NAME', 'An account of the platform: a root scope.'),
  enterprise: organisation(
    'enterprise',
    'ENTERPRISE_NAME',
    'An enterprise to which workstreams and licences are linked: a root scope.',
  ),
  workstream: {
    type: 'workstream',
    hangsOn: ['parent', 'enterprise'],
    summary: 'A workstream of an account, linked to the enterprise for which it needs a licence.',
    attributes: z.strictObject({
      parent: field.ref,
      enterprise: field.ref,
      name: field.name,
      description,
      status: status('inactive'),
      properties,
    }),
    ...below,
  },
  scope: {
    type: 'scope',
    hangsOn: ['parent'],
    summary: 'A scope of a type that was added (`scope-type.create`).',
    attributes: z.strictObject({
      type: field.addedScopeType('create'),
      parent,
      name: field.name,
      description,
      status: status('inactive', 'suspended'),
      combination,
      attributes: field.map.optional(),
      properties,
    }),
    typeFrom: 'type',
    namedIn: 'scope',
    defaults: open,
    immutable: ['type', 'parent'],
    guards: [],
    listShards: 8,
    ...listed,
  },
} as const satisfies Record<string, Entity>;
