import type { Ref } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import type { PolicyShown, RouteTrial } from '../../../service/index.ts';
import { useAddress } from '../../address.ts';
import type { Called } from '../../calls.ts';
import { DecisionBadge, reasonText } from '../../parts/decision.tsx';
import { Detail } from '../../parts/detail.tsx';
import { named, Select, TextField, Wrong } from '../../parts/field.tsx';
import { Link } from '../../parts/link.tsx';
import { Named } from '../../parts/named.tsx';
import { Problem } from '../../parts/problem.tsx';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

interface TrialBoxProps {
  readonly of: PolicyShown;
  /** The element of the box. */
  readonly box: Ref<HTMLElement>;
  readonly headersProblem: string | undefined;
  readonly called: Called<RouteTrial>;
}

/** A request, what the policy says of it, and what route and engine say. */
export function TrialBox({ box, of: { routes, takes }, headersProblem, called }: TrialBoxProps) {
  const { state, go } = useAddress();
  const id = useId();
  const [method, setMethod] = useState(state.method ?? 'GET');
  const [path, setPath] = useState(state.path ?? '');
  useEffect(() => {
    setMethod(state.method ?? 'GET');
    setPath(state.path ?? '');
  }, [state.method, state.path]);
  // Methods of routes that API Gateway has no verb for, such as CONNECT.
  const others = routes.map((route) => route.method).filter((each) => each !== 'ANY');
  const methods = [...new Set([...METHODS, ...others, method])];
  return (
    <section ref={box} aria-labelledby={`${id}-title`} class="policy-trial">
      <h2 id={`${id}-title`}>Try a request</h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go({ method, path: path.trim() });
        }}
      >
        <Select label="Method" value={method} options={named(methods)} onChoose={setMethod} />
        <TextField
          class="policy-path"
          label="Path"
          dir="ltr"
          maxLength={10_240}
          placeholder="/…, as it is sent, with its escapes"
          value={path}
          onType={setPath}
        />
        <button type="submit" class="primary">
          Try
        </button>
      </form>
      {(takes.headers.length > 0 || state.headers !== undefined) && (
        <TextField
          label="Headers"
          rows={2}
          placeholder={`${takes.headers[0] ?? 'name'}: value`}
          hint={`one in each line; routes take ${takes.headers.join(', ')}`}
          problem={headersProblem}
          value={state.headers ?? ''}
          onCommit={(headers) => go({ headers })}
        />
      )}
      <div
        aria-live="polite"
        aria-busy={called.isLoading}
        class={called.isLoading ? 'policy-stale' : undefined}
      >
        {called.error && <Problem of={called.error} retry={called.retry} />}
        {called.value && (
          <>
            <Agreement of={called.value} />
            <div class="policy-answers">
              <PolicySays of={called.value} />
              <RouteSays of={called.value} />
            </div>
            <p class="help">
              The ARN of the request: <code>{called.value.arn}</code>
            </p>
          </>
        )}
        {state.path === undefined && <p class="help">Type a path, or choose a route or a resource.</p>}
      </div>
    </section>
  );
}

/** Whether policy and route say the same. That they do not is an alarm: one of them is wrong. */
function Agreement({ of: { agrees, isLeftOut, allowed, policy } }: { readonly of: RouteTrial }) {
  if (agrees === undefined)
    return (
      <p class="policy-agreement">
        <span aria-hidden="true">–</span> There is no policy for the whole API: the route alone answers.
      </p>
    );
  if (agrees)
    return (
      <p class="policy-agreement agrees">
        <span aria-hidden="true">✓</span> Policy and route agree: {allowed ? 'allowed' : 'refused'}.
      </p>
    );
  // A path that a policy cannot spell is refused by it at worst, never allowed.
  if (isLeftOut && allowed)
    return (
      <p class="policy-agreement">
        <span aria-hidden="true">!</span> A policy leaves this path out, for it can be spelt in several ways.
        The authorizer answers it for the route alone, which allows it; where API Gateway keeps a policy, it
        is refused.
      </p>
    );
  return (
    <div class="policy-alarm" role="alert">
      <p>
        <strong>
          <span aria-hidden="true">⚠</span> Policy and route disagree
        </strong>
      </p>
      <p>
        The policy {policy?.decision === 'allow' ? 'allows' : 'refuses'} this request, and the route{' '}
        {allowed ? 'allows' : 'refuses'} it. Try again: a change of the table in between looks the same. If it
        stays, one of them is wrong. That is a defect of Gatehouse: please report it with the routes, the path
        and the policy.
      </p>
    </div>
  );
}

const POLICY_TEXTS = {
  allow: 'an Allow matches, and no Deny does',
  'explicit-deny': 'a Deny matches',
  'implicit-deny': 'nothing in it matches',
} as const;

function PolicySays({ of: { policy } }: { readonly of: RouteTrial }) {
  return (
    <section aria-label="What the policy says">
      <h3>The policy</h3>
      {policy ? (
        <>
          <p>
            <DecisionBadge allowed={policy.decision === 'allow'} /> {POLICY_TEXTS[policy.decision]}
          </p>
          {policy.resource !== undefined && (
            <p>
              {policy.effect} <code>{policy.resource}</code>
            </p>
          )}
        </>
      ) : (
        <p>says nothing of this request.</p>
      )}
    </section>
  );
}

const REFUSALS: Readonly<Record<string, string>> = {
  route_unmapped: 'no route matches this request',
  route_unresolved: 'a value that the route takes is missing or not valid',
  actor_cannot_connect: 'a connection would outlive the token that says who acts',
};

function RouteSays({ of }: { readonly of: RouteTrial }) {
  const { route, permission, scope, missing, decision, allowed, reason, others } = of;
  return (
    <section aria-label="What route and engine say">
      <h3>Route and engine</h3>
      <p>
        <DecisionBadge allowed={allowed} />{' '}
        {decision ? reasonText(decision.reason) : (REFUSALS[reason] ?? reason)} <code>{reason}</code>
      </p>
      {missing.map((each) => (
        <Wrong key={each} text={each} />
      ))}
      <dl>
        {route && (
          <Detail name="Route">
            <code>
              {route.method} <bdi>{route.path}</bdi>
            </code>
          </Detail>
        )}
        {Object.entries(route?.parameters ?? {}).map(([name, value]) => (
          <Detail key={name} name={name}>
            <bdi>{value}</bdi>
          </Detail>
        ))}
        {permission !== undefined && (
          <Detail name="Permission">
            <bdi>{permission}</bdi>
          </Detail>
        )}
        {scope !== undefined && (
          <Detail name="Scope">
            <Named of={scope} />
          </Detail>
        )}
        {others.length > 0 && (
          <Detail name="Also match, after it">
            {others.map(({ id, method, path }) => (
              <code key={id}>
                {method} <bdi>{path}</bdi>{' '}
              </code>
            ))}
          </Detail>
        )}
      </dl>
      {permission !== undefined && scope !== undefined && (
        <p>
          <Link to="why" ask={{ permission, scope, at: undefined, given: undefined }}>
            Why is it {allowed ? 'allowed' : 'refused'}?
          </Link>
        </p>
      )}
    </section>
  );
}
