/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The variables that are set. An empty one counts as not set, in every process (docs/configuration.md).
 *
 * @param names only these; all when left out
 */
export const variablesSetIn = (
  env: Environment,
  names: readonly string[] = Object.keys(env),
): Readonly<Record<string, string>> =>
  Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));

/** Takes empty variables of the AWS SDK out: it reads them itself, and takes an empty region for a region. */
export function unsetEmptyOfSdk(env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(env))
    if (name.startsWith('AWS_') && value === '') delete env[name];
}
