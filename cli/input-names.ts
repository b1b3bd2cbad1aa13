import {
  asField,
  type CommandDescription,
  descriptionOf,
  type Field,
  formerOf,
  inCurrentNames,
  namedBy,
} from '../provisioning/index.ts';
import { GatehouseError } from '../table/errors.ts';
import { isRef, isUlidOrUuid } from '../table/identifiers.ts';
import type { JsonObject } from '../table/json.ts';
import { UsageError } from './context.ts';
import { isReference, type Resolve, type Typed } from './references.ts';

/** Names in the inputs of commands. */
/** What `role.scope` may be beside a reference. */
const OWNERS = new Set(['global', 'tenant']);

/** Whether a command would answer for what does not exist with an empty list. The log is of what is gone too. */
export const isListed = ({ name, kind }: CommandDescription): boolean =>
  kind === 'read' && /\.(?:list|list-all|read-all|access)$/.test(name) && name !== 'audit.list';

/**
 * The input with ids and references in the place of names. Throws NameError.
 *
 * @param mustExist whether ids and references are looked up too
 */
export async function withoutNames(
  resolve: Resolve,
  { name: command, fields }: { readonly name: string; readonly fields: readonly Field[] },
  input: JsonObject,
  mustExist = false,
): Promise<JsonObject> {
  const meant = async (typed: Typed, property: string, text: unknown): Promise<unknown> => {
    if (typeof text !== 'string' || (typed.kind === 'scope' && OWNERS.has(text))) return text;
    // A setting is of a scope or of a user.
    const kind = typed.kind === 'scope' && text.startsWith('user:') ? 'subject' : typed.kind;
    const of: Typed = { ...typed, kind };
    const isExact = isUlidOrUuid(text) || (isRef(text) && isReference(of, text));
    const ref = isExact && !mustExist ? text : await resolve(of, text);
    return isRef(ref) ? asField(property, ref) : ref;
  };
  const current = inCurrent(command, await withFormerId(meant, command, input));
  const entries = fields.map(async (field) => {
    const { name, property } = field;
    const value = current[name];
    const named = value === undefined ? undefined : namedBy(command, field, current);
    if (!named) return [];
    const typed: Typed = { label: name, takesIds: true, ...named };
    const form = descriptionOf(property);
    const found = Array.isArray(value)
      ? await Promise.all(value.map((each) => meant(typed, form, each)))
      : await meant(typed, form, value);
    return [[name, found] as const];
  });
  return { ...current, ...Object.fromEntries((await Promise.all(entries)).flat()) };
}

/** An input by former names, where the id beside a type may be a name. */
async function withFormerId(
  meant: (typed: Typed, form: string, text: unknown) => Promise<unknown>,
  command: string,
  input: JsonObject,
): Promise<JsonObject> {
  const { field, before: [first = '', id] = [] } = formerOf(command) ?? {};
  const [type, text] = [input[first], id === undefined ? undefined : input[id]];
  if (id === undefined || typeof type !== 'string' || typeof text !== 'string') return input;
  const typed: Typed = { label: id, kind: field === 'scope' ? 'scope' : 'subject', type, takesIds: true };
  return { ...input, [id]: await meant(typed, 'id', text) };
}

/** The input by the names that fields have now. Throws {@link UsageError}. */
function inCurrent(command: string, input: JsonObject): JsonObject {
  try {
    return inCurrentNames(command, input);
  } catch (error) {
    throw error instanceof GatehouseError ? new UsageError(error.message) : error;
  }
}
