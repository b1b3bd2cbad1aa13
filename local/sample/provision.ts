/** Calls provisioning: one event, one answer. */
export type Invoke = (event: Readonly<Record<string, unknown>>) => Promise<unknown>;

type Result = Readonly<Record<string, unknown>> & { readonly id: string };

/**
 * Runs the commands of the sample world. Each has its own operation id, so a table that has the world already
 * (DATA=file) repeats the stored answers and nothing is written twice.
 */
export function createProvisioner(invoke: Invoke) {
  return async (
    command: string,
    label: string,
    input: Readonly<Record<string, unknown>>,
  ): Promise<Result> => {
    const operationId = `sample-world:${command}:${label}`;
    const answer = (await invoke({ command, input, operationId, actor: 'sample-world' })) as
      | { readonly ok: true; readonly result: Result }
      | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } };
    if (!answer.ok)
      throw new Error(`sample world, ${command} (${label}): ${answer.error.code}: ${answer.error.message}`);
    return answer.result;
  };
}

export type Provision = ReturnType<typeof createProvisioner>;
