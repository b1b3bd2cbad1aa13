import type { Identify } from '../authorizer/credentials/identity.ts';
import type { SubjectOf } from '../authorizer/subject.ts';
import type { Caller } from './questions.ts';

export interface CallerParts {
  /** Verifies credentials as the authorizer does. */
  readonly identify: Identify;
  readonly subjectOf: SubjectOf;
}

/**
 * Finds the caller by its `Authorization` header. A JWT is verified here; an API token by the engine, with the
 * first decision.
 *
 * The returned function throws CredentialsError, or Fault if a token cannot be verified.
 */
export const createCallerOf =
  ({ identify, subjectOf }: CallerParts) =>
  async (authorization: readonly string[]): Promise<Caller> => {
    const { subject, credential, claims, actor } = await identify({ kind: 'http', authorization });
    const name = subject ?? JSON.stringify([claims.iss, claims.sub]);
    return {
      name: actor === undefined ? name : JSON.stringify([name, actor.subject, actor.mandate]),
      subjectIn: (look) => subject ?? subjectOf(claims, look),
      credential,
      actor,
    };
  };
