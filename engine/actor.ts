/** Who acts for the subject of a question (ADR 0048). */
export interface Actor {
  /** A subject of ours: `agent:01J…`. */
  readonly subject: string;
  /** `mandate:01J…`; undefined where it has none. */
  readonly mandate?: string | undefined;
  /** SHA-256 of the mandate's token, base64url, where the token was shown. Undefined where the caller vouches. */
  readonly hash?: string | undefined;
  /** When the token ends that names the actor, in epoch milliseconds: from then on nothing is allowed by it. */
  readonly until?: number | undefined;
  /** Who acted before, by `sub`, as the token has it (RFC 8693 section 4.1): logged, and decides nothing. */
  readonly before?: readonly string[] | undefined;
}

/**
 * Who asks, for people: `ann`, or `bot (mandate:m1) for ann`.
 *
 * @param named the name of a reference
 */
export const askedBy = (
  { subject, actor }: { readonly subject: string; readonly actor?: Actor | undefined },
  named: (ref: string) => string = (ref) => ref,
): string =>
  actor === undefined
    ? named(subject)
    : `${named(actor.subject)}${actor.mandate === undefined ? '' : ` (${actor.mandate})`} for ${named(subject)}`;
