import * as z from 'zod';
import {
  normaliseDomain,
  normaliseEmail,
  normaliseIssuer,
  normaliseScimId,
  normaliseScimName,
  normaliseSub,
} from '../normalise.ts';
import type { Entity } from './entity.ts';
import * as field from './fields.ts';

/** Days for which a credential of a connection is valid at most, and unless its creation says otherwise. */
export const MAX_CREDENTIAL_DAYS = 366;
export const CREDENTIAL_DAYS = 365;

const spoken = field.text(256).refine((value) => value.trim() !== '', 'is blank');
const connection = field.id.describe('id of the connection');

/** People whom an identity provider sends: through which connection, and what it may say of whom. */
export const SCIM = {
  domain: {
    type: 'domain',
    hangsOn: ['tenant'],
    summary: 'A domain of e-mail addresses that one tenant has shown to be its own.',
    attributes: z.strictObject({
      name: field.normalised(normaliseDomain).describe('domain in ASCII, such as `example.com`'),
      tenant: field.ref.describe('root scope, as `tenant:ID`'),
    }),
    immutable: ['name', 'tenant'],
    naturalKey: ['name'],
    guards: [],
    listShards: 4,
  },
  'scim-connection': {
    type: 'scim-connection',
    hangsOn: ['scope'],
    summary: 'An identity provider that says who works for one tenant, by SCIM.',
    attributes: z.strictObject({
      scope: field.ref.describe('root scope, as `tenant:ID`'),
      name: field.name,
      issuer: field
        .normalised(normaliseIssuer)
        .optional()
        .describe('`iss` of the tokens whose `sub` it may state'),
      lastSyncAt: field.instant.optional(),
    }),
    immutable: ['scope'],
    hidden: ['lastCredential'],
    givenInTenant: ['scope', 'name', 'lastSyncAt'],
    inTenant: { tenant: 'scope', time: 'createdAt' },
    guards: [],
    listShards: 4,
  },
  'scim-credential': {
    type: 'scim-credential',
    hangsOn: ['connection'],
    summary:
      'What an identity provider shows to act as its connection. Only a hash is kept; the text is shown once, in the answer to its creation.',
    attributes: z.strictObject({
      connection,
      expiresAt: field.end
        .optional()
        .describe(
          `instant, at most ${MAX_CREDENTIAL_DAYS} days ahead; ${CREDENTIAL_DAYS} days when left out`,
        ),
    }),
    filledIn: ['expiresAt'],
    immutable: ['connection', 'expiresAt'],
    hidden: ['hash'],
    expires: { from: 'expiresAt', afterDays: 30 },
    guards: [],
    listShards: 4,
  },
  'scim-user': {
    type: 'scim-user',
    hangsOn: ['connection', 'user'],
    summary:
      'What a connection says of one user. It owns the user that it made, and gives another one access in its tenant only.',
    attributes: z.strictObject({
      connection,
      user: field.id.describe('id of the user'),
      userName: spoken,
      externalId: spoken.optional(),
      active: z.boolean().optional(),
      email: field.normalised(normaliseEmail).optional(),
      sub: field.normalised(normaliseSub).optional(),
      displayName: field.text(256).optional(),
      givenName: field.text(128).optional(),
      familyName: field.text(128).optional(),
    }),
    defaults: { active: true },
    immutable: ['connection', 'user'],
    personal: ['userName', 'externalId', 'email', 'sub', 'displayName', 'givenName', 'familyName'],
    naturalKey: ['connection', 'user'],
    guards: [
      {
        kind: 'SCIM_USER_NAME',
        field: 'userName',
        normalise: normaliseScimName,
        within: ['connection'],
      },
      {
        kind: 'SCIM_USER_ID_CODE',
        field: 'externalId',
        normalise: normaliseScimId,
        within: ['connection'],
      },
    ],
    listShards: 16,
  },
  'scim-group': {
    type: 'scim-group',
    hangsOn: ['connection', 'group'],
    summary:
      'What a connection says of one group: whom the identity provider puts into it is in a group of the tenant.',
    attributes: z.strictObject({
      connection,
      group: field.id.describe('id of the group'),
      displayName: spoken,
      externalId: spoken.optional(),
    }),
    immutable: ['connection', 'group'],
    naturalKey: ['connection', 'group'],
    guards: [
      {
        kind: 'SCIM_GROUP_NAME',
        field: 'displayName',
        normalise: normaliseScimName,
        within: ['connection'],
      },
      {
        kind: 'SCIM_GROUP_ID_CODE',
        field: 'externalId',
        normalise: normaliseScimId,
        within: ['connection'],
      },
    ],
    listShards: 4,
  },
} as const satisfies Record<string, Entity>;
