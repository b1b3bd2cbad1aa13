import { group } from '../subcommand.ts';
import { addAdd } from './route/add.ts';
import { addCheck } from './route/check.ts';
import { addGaps } from './route/gaps.ts';
import { addImport } from './route/import.ts';
import { addList } from './route/list.ts';
import { addRemove } from './route/remove.ts';
import { addTry } from './route/test.ts';

/** `gatehouse route`: which permission and scope a request needs. */
export const addRoute = group(
  {
    name: 'route',
    summary: 'manage routes: which permission and scope a request needs',
    description:
      'A route says which permission and scope a request to an API needs. Routes are in the table.',
  },
  [addAdd, addList, addRemove, addTry, addImport, addGaps, addCheck],
);
