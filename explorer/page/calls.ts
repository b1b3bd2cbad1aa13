import { useEffect, useState } from 'preact/hooks';
import type { Fault, Inputs, Method, Results } from '../service/index.ts';
import { useClient } from './client.ts';

/** How far something is that is loaded. While it is loaded again, the value before stays. */
export interface Loaded<T> {
  readonly isLoading: boolean;
  readonly value: T | undefined;
  /** Loads it again. */
  readonly retry: () => void;
}

/**
 * Loads something whenever its key or the table changes. A late answer is dropped.
 *
 * @param key what it is; undefined loads nothing, and has no value
 * @param load never rejects
 */
export function useLoaded<T>(key: string | undefined, load: () => Promise<T>): Loaded<T> {
  const { revision } = useClient();
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<{ readonly key: string; readonly value: T }>();
  const wanted = key === undefined ? undefined : `${key} ${revision} ${attempt}`;
  useEffect(() => {
    if (wanted === undefined) return setState(undefined);
    let isCurrent = true;
    load().then((value) => {
      if (isCurrent) setState({ key: wanted, value });
    });
    return () => {
      isCurrent = false;
    };
  }, [wanted]);
  return {
    isLoading: wanted !== undefined && state?.key !== wanted,
    value: wanted === undefined ? undefined : state?.value,
    retry: () => setAttempt((before) => before + 1),
  };
}

/** How far a call is. */
export interface Called<T> extends Loaded<T> {
  readonly error: Fault | undefined;
}

/** Calls the service whenever the input or the table changes; nothing is sent for undefined. */
export function useCall<M extends Method>(method: M, input: Inputs[M] | undefined): Called<Results[M]> {
  const { send } = useClient();
  const key = input && JSON.stringify([method, input]);
  const loaded = useLoaded(key, () => send(method, input as Inputs[M]));
  const { value: reply } = loaded;
  return reply?.ok
    ? { ...loaded, value: reply.result, error: undefined }
    : { ...loaded, value: undefined, error: reply?.error };
}

/** A command of provisioning that reads, as {@link useCall}: a refusal is an error. */
export function useCommand(
  command: string,
  input: Readonly<Record<string, unknown>> | undefined,
): Called<Readonly<Record<string, unknown>>> {
  const called = useCall('command', input && { command, input: { ...input } });
  const { value: answer } = called;
  return answer?.ok
    ? { ...called, value: answer.result }
    : { ...called, value: undefined, error: answer?.error ?? called.error };
}
