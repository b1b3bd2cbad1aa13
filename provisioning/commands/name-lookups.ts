import * as z from 'zod';
import { defined } from '../../table/defined.ts';
import * as field from '../../table/entities/fields.ts';
import { NAMED_KINDS } from '../../table/entities/registry.ts';
import { isSafeText } from '../../table/identifiers.ts';
import { type Command, readCommand } from '../command.ts';
import { findName, MAX_KEYS, ownersOf, shownNames } from '../names/find.ts';
import { suggestName } from '../names/suggest.ts';

/** Characters of a path of 17 names, the longest that there is. */
const MAX_PATH = 2_200;

const name = z
  .string()
  .min(1)
  .max(MAX_PATH)
  .refine((value) => isSafeText(value) && value.trim() !== '', 'holds # or control characters, or is blank')
  .describe('name, path of names with `/`, email, username, phone, code, id or reference');
const kind = z.enum(NAMED_KINDS);
const type = field.entityType.optional();

/** As many as one BatchGetItem holds. */
const several = <T extends z.ZodRawShape>(shape: T, words: string) =>
  z.strictObject({
    names: z
      .array(z.strictObject(shape))
      .min(1)
      .max(MAX_KEYS)
      .describe(`list of ${words}, at most ${MAX_KEYS}`),
  });

/** Names instead of ids (ADR 0023). */
export const nameCommands: readonly Command[] = [
  readCommand({
    name: 'name.find',
    summary:
      'Finds what people call by a name, in at most 3 reads: every candidate with its reference and its path. `more` says that there may be others; `elsewhere` is what has the last name of a path that is not there.',
    input: z.strictObject({ name, kind, type }),
    run: async ({ reader }, input) => ({ ...(await findName(reader, input)) }),
  }),
  readCommand({
    name: 'name.owners',
    summary: `Says what each of up to ${MAX_KEYS} texts names by its form alone, in one BatchGetItem: an email or a phone number its user, any other what has it as its id. \`null\` is nothing: \`name.find\` looks further.`,
    input: several({ name, kind, type }, '`{ name, kind, type? }`'),
    run: async ({ reader }, { names }) => ({
      owners: (await ownersOf(reader, names)).map((ref) => ref ?? null),
    }),
  }),
  readCommand({
    name: 'name.labels',
    summary: `Says how people know what each of up to ${MAX_KEYS} references names, in one BatchGetItem: \`name\`, and \`email\` of a user; \`null\` for what is not there.`,
    input: several({ name, kind }, '`{ name, kind }` with references'),
    run: async ({ reader }, { names }) => ({
      labels: (await shownNames(reader, names)).map((label) => label ?? null),
    }),
  }),
  readCommand({
    name: 'name.suggest',
    summary: 'Says which name was probably meant instead of one that nothing has, by an index.',
    input: z.strictObject({ name, kind }),
    run: async ({ reader }, input) => {
      const meant = await suggestName(reader, input);
      return defined({ meant });
    },
  }),
];
