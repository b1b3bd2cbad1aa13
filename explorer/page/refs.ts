/** References as `type:id`, in the page and in commands. */

/** Empty of what is no reference. */
export const typeOf = (ref: string): string => ref.slice(0, Math.max(0, ref.indexOf(':')));

export const idOf = (ref: string): string => ref.slice(ref.indexOf(':') + 1);

/** A user by id, any other subject by reference: as commands take it. */
export const userOf = (subject: string): string => (typeOf(subject) === 'user' ? idOf(subject) : subject);

/** The name of a reference; undefined where it has none, or it is not known yet. */
export type NameOf = (ref: string) => string | undefined;
