import { useEffect, useState } from 'preact/hooks';
import type { Fault, Inputs, Method, Results } from '../service/index.ts';
import { useClient } from './client.ts';
import { type Answered, type Item, run } from './load-page.ts';

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

/** Loads what may fail, as {@link useLoaded}. An error goes while it is loaded again. */
export function useAnswer<T>(key: string | undefined, load: () => Promise<Answered<T>>): Called<T> {
  const loaded = useLoaded(key, load);
  const { value: answer, isLoading } = loaded;
  return answer?.ok
    ? { ...loaded, value: answer.result, error: undefined }
    : { ...loaded, value: undefined, error: isLoading ? undefined : answer?.error };
}

/** Calls the service whenever the input or the table changes; nothing is sent for undefined. */
export function useCall<M extends Method>(method: M, input: Inputs[M] | undefined): Called<Results[M]> {
  const { send } = useClient();
  return useAnswer(input && JSON.stringify([method, input]), () => send(method, input as Inputs[M]));
}

/** A command of provisioning that reads, as {@link useCall}: a refusal is an error. */
export function useCommand<T = Item>(command: string, input: Item | undefined): Called<T> {
  const { send } = useClient();
  return useAnswer(input && JSON.stringify([command, input]), () =>
    run<T>(send, { command, input: input as Item }),
  );
}
