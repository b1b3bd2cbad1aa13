import * as z from 'zod';
import { ENTITIES } from '../../table/entities/registry.ts';
import { writeCommand } from '../command.ts';
import { updateSchema } from '../kinds/node-commands.ts';
import type { NodeKind } from '../kinds/node-kind.ts';
import { findLinkCommand, listOfConnectionCommand } from './scim-find.ts';
import { changingLink, endingLink, type Named, planLink, type Said } from './scim-link-plans.ts';

const LINK = ENTITIES['scim-user'];
const { connection, user, ...said } = LINK.attributes.shape;

const create = writeCommand({
  name: 'scim-user.create',
  summary:
    'Links a connection to the user who has the `sub` of its issuer, or the email; makes a user where nobody has them. The email is of a domain that the tenant has verified.',
  input: z.strictObject({ connection, ...said }),
  plan: (planning, { connection: of, ...values }) => planLink(planning, of, values),
});

const update = writeCommand({
  name: 'scim-user.update',
  summary:
    'Changes what a connection says of a user; null clears an optional field. The user whom it made follows; of another one only the access in its tenant.',
  input: updateSchema(LINK),
  destructive: {
    undo: 'scim-user.update with active=true, or with the values that it had',
    when: (given) => given.active === false,
  },
  steps: (planning, { connection: of, user: id, ...values }: Named & Said) =>
    changingLink(planning, { connection: of, user: id }, values),
});

const end = writeCommand({
  name: 'scim-user.delete',
  summary:
    'Ends what a connection gave a user. The user stays; one whom the connection made is no longer active.',
  input: z.strictObject({ connection, user }),
  destructive: { undo: 'scim-user.create with the same fields' },
  steps: endingLink,
});

const find = findLinkCommand(
  LINK,
  'user',
  'Finds the user of a connection with a userName, whatever its case, or with an externalId.',
);

export const SCIM_USER: NodeKind = {
  entity: LINK,
  behaviour: {},
  commands: [create, update, end, find, listOfConnectionCommand(LINK, 'user')],
};
