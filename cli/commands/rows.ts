import { group } from '../subcommand.ts';
import { addCheck } from './rows/check.ts';

/** `gatehouse rows`: rows of an application, which lists decide at scopes of the table. */
export const addRows = group(
  {
    name: 'rows',
    summary: 'check the columns of your own rows against the tree',
    description: 'Rows are in your database. They name scopes, which are in the table (docs/lists.md).',
  },
  [addCheck],
);
