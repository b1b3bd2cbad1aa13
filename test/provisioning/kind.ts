import type { Input } from './support.ts';

/** A kind of node or edge with an example of each input, so that tests can walk all commands. */
export interface Kind {
  readonly type: string;
  /** Input of a creation with every field, and all that it points at in place. */
  readonly create: () => Promise<Input>;
  /** Where its type is data: the field by which read, update and delete name one, by reference. */
  readonly reference?: 'scope' | 'user';
  /** Fields that name one, as read, update and delete take them without a reference; the first set is that of update. */
  readonly named: readonly (readonly string[])[];
  /** Input of an update beside the name; null where it clears. Left out where there is no update. */
  readonly changes?: () => Promise<Input>;
  /** Fields by which it is listed; the empty list stands for the list of all. */
  readonly lists: readonly (readonly string[])[];
}
