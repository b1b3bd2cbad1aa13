import * as z from 'zod';
import { REGISTERED_SUBJECT } from '../identifiers.ts';
import {
  hasTrunkZero,
  normaliseEmail,
  normaliseIssuer,
  normalisePhone,
  normaliseSub,
  normaliseUsername,
} from '../normalise.ts';
import type { Entity } from './entity.ts';
import * as field from './fields.ts';
import { mayBeSubjectType } from './scope-types.ts';

/** How a user is called, and what they are at work. */
const PROFILE = ['displayName', 'givenName', 'familyName', 'title', 'department'] as const;

/** Who acts: people, technical users, and subjects of types that operators add. */
export const SUBJECTS = {
  user: {
    type: 'user',
    summary: 'A person who is granted access.',
    attributes: z.strictObject({
      email: field.normalised(normaliseEmail).optional(),
      emailProvider: z.enum(['google', 'github', 'microsoft']).optional(),
      phone: field
        .normalised(normalisePhone)
        .refine(
          (phone) => !hasTrunkZero(phone),
          'has a 0 behind the country code: leave it out, as in +4930123456',
        )
        .optional(),
      username: field.normalised(normaliseUsername).optional(),
      issuer: field.normalised(normaliseIssuer).optional(),
      sub: field.normalised(normaliseSub).optional(),
      displayName: field.text(256).optional(),
      givenName: field.text(128).optional(),
      familyName: field.text(128).optional(),
      title: field.text(256).optional(),
      department: field.text(256).optional(),
      userType: z
        .enum(['MEMBER', 'LEAD', 'internal', 'client_admin', 'external_customer', 'external_tenant'])
        .optional(),
      tenant: field.ref.optional(),
      status: z.enum(['active', 'disabled', 'inactive']).optional(),
      endsAt: field.end.optional(),
      lastLoginAt: field.instant.optional(),
      invitedBy: field.id.optional(),
      invitedAt: field.instant.optional(),
      mfaEnabled: z.boolean().optional(),
      mfaType: field.text(64).optional(),
      mfaSecret: field.text(1_024).optional(),
      passwordHash: field.text(1_024).optional(),
      passwordLastChangedAt: field.instant.optional(),
      properties: field.properties.optional(),
    }),
    defaults: { status: 'active' },
    secret: ['mfaSecret', 'passwordHash'],
    personal: ['email', 'phone', 'username', 'sub', ...PROFILE, 'properties'],
    givenInTenant: ['tenant', ...PROFILE, 'invitedBy', 'invitedAt'],
    inTenant: { tenant: 'tenant', time: 'createdAt' },
    byStatus: { status: 'status', date: 'endsAt' },
    guards: [
      { kind: 'EMAIL', field: 'email', normalise: normaliseEmail, repeats: { provider: 'emailProvider' } },
      { kind: 'PHONE', field: 'phone', normalise: normalisePhone },
      { kind: 'USERNAME', field: 'username', normalise: normaliseUsername },
      { kind: 'IDENTITY', field: 'sub', normalise: normaliseSub, within: ['issuer'] },
    ],
    listShards: 16,
  },
  'technical-user': {
    type: 'technical-user',
    hangsOn: ['account'],
    summary: 'A program of an account: it shows an API token and is checked like a user.',
    attributes: z.strictObject({
      account: field.ref,
      name: field.name,
      description: field.text(1_000).optional(),
      status: z.enum(['active', 'inactive']).optional(),
      endsAt: field.end.optional(),
      properties: field.properties.optional(),
    }),
    defaults: { status: 'active' },
    immutable: ['account'],
    givenInTenant: ['account', 'name', 'description'],
    inTenant: { tenant: 'account', time: 'createdAt' },
    byStatus: { status: 'status', date: 'endsAt' },
    named: { kind: 'subject', by: ['name'], above: 'account' },
    guards: [],
    listShards: 4,
  },
  'subject-type': {
    type: 'subject-type',
    summary:
      'A type of subject that an operator adds beside users and technical users: `identity`, `device`.',
    attributes: z.strictObject({
      name: field.addedType(mayBeSubjectType),
      description: field.text(1_000).optional(),
    }),
    immutable: ['name'],
    naturalKey: ['name'],
    guards: [],
    listShards: 4,
  },
  subject: {
    type: REGISTERED_SUBJECT,
    summary:
      'An agent, or a subject of a type that was added (`subject-type.create`); it is checked like a user.',
    attributes: z.strictObject({
      type: field.addedSubjectType('create'),
      name: field.name.optional(),
      description: field.text(1_000).optional(),
      tenant: field.ref.optional(),
      status: z.enum(['active', 'disabled', 'inactive']).optional(),
      endsAt: field.end.optional(),
      mandateOptional: z.boolean().optional(),
      properties: field.properties.optional(),
    }),
    typeFrom: 'type',
    namedIn: 'user',
    personal: ['name', 'description', 'properties'],
    defaults: { status: 'active' },
    immutable: ['type'],
    givenInTenant: ['type', 'tenant', 'name', 'description'],
    inTenant: { tenant: 'tenant', time: 'createdAt' },
    byStatus: { status: 'status', date: 'endsAt' },
    named: { kind: 'subject', by: ['name'] },
    guards: [],
    listShards: 16,
  },
} as const satisfies Record<string, Entity>;
