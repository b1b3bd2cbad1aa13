import type { Properties } from '../../table/properties.ts';

/** What a call was allowed on, so that it can be decided again. */
export interface AskedCall {
  readonly permission: string;
  readonly scope: string;
  /** Of the action. */
  readonly properties: Properties;
}

/** Of one session are remembered at most so many different calls, of so many characters each. */
const MOST = 100;
const LONGEST = 4_096;

/** What was allowed in one session. */
export function createAllowedCalls() {
  const calls = new Map<string, AskedCall>();
  let isWhole = true;
  return {
    add: (call: AskedCall): void => {
      const name = nameOf(call);
      if (name === undefined || (calls.size >= MOST && !calls.has(name))) isWhole = false;
      else calls.set(name, call);
    },
    /** Undefined where they are more than is remembered. */
    all: (): readonly AskedCall[] | undefined => (isWhole ? [...calls.values()] : undefined),
  };
}

export type AllowedCalls = ReturnType<typeof createAllowedCalls>;

function nameOf(call: AskedCall): string | undefined {
  try {
    const name = JSON.stringify(call);
    return name.length > LONGEST ? undefined : name;
  } catch {
    // A schema may make values of arguments that JSON does not have.
    return undefined;
  }
}
