import { group } from '../subcommand.ts';
import { addPreview } from './scim/preview.ts';
import { addScimServe } from './scim/serve.ts';
import { addStatus } from './scim/status.ts';

/** `gatehouse scim`: people and groups from an identity provider. */
export const addScim = group(
  {
    name: 'scim',
    summary: 'take people and groups from identity providers by SCIM',
    description: 'Identity providers send users and groups to /scim/v2 (docs/identity-providers.md).',
  },
  [addScimServe, addStatus, addPreview],
);
