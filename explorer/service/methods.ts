import type { Decision, Explanation } from '../../engine/index.ts';
import type {
  Against,
  Answer,
  Failure,
  Matrix,
  PlanAnswer,
  PlannedChange,
  SavedPlan,
} from '../../provisioning/index.ts';
import type { Page } from '../../table/index.ts';
import type { CommandForms } from './form.ts';
import type { Method } from './method-inputs.ts';
import type { PolicyShown, RouteTrial } from './policy.ts';

/** What the page says of its table. */
export interface About {
  /** Which table it is, for people. */
  readonly place: string;
  /** Whether commands may write. */
  readonly canWrite: boolean;
  /** Whether decisions can be watched as they happen. */
  readonly isLive: boolean;
  /** The names of APIs that have routes, where they are known: a table has no list of them. */
  readonly apis?: readonly string[] | undefined;
}

/** An entity by reference. Its name is the reference if it has none. */
export interface NamedRef {
  readonly ref: string;
  readonly name: string;
}

export interface NamedPermission {
  readonly permission: string;
  readonly description?: string | undefined;
}

/** A saved plan beside a new one of its manifest. */
export interface PlanCompared {
  readonly saved: Pick<SavedPlan, 'place' | 'madeAt' | 'prune' | 'pruneShared'>;
  readonly plan: PlanAnswer;
  /** The changes of the new plan that the saved one does not have: there are some where it is out of date. */
  readonly beyond: readonly PlannedChange[];
}

export interface Results {
  readonly about: About;
  readonly check: Decision;
  readonly explain: Explanation;
  readonly subjects: Page<NamedRef>;
  readonly permissions: Page<NamedPermission>;
  readonly scopes: Page<NamedRef>;
  readonly matrix: Matrix;
  /** Names by reference; what has none is left out. */
  readonly names: Readonly<Record<string, string>>;
  readonly policy: PolicyShown;
  readonly tryRoute: RouteTrial;
  readonly forms: CommandForms;
  readonly command: Answer;
  readonly against: Against;
  readonly savedPlan: PlanCompared;
}

/** Why there is no result: never a decision. */
export type Fault = Failure['error'];

/** A method's answer. It is never thrown: it crosses a worker or HTTP. */
export type Reply<M extends Method = Method> =
  | { readonly ok: true; readonly result: Results[M] }
  | { readonly ok: false; readonly error: Fault };
