import { useId, useRef } from 'preact/hooks';
import type { PolicyShown } from '../../../service/index.ts';
import type { ViewProps } from '../../address.ts';
import { useCall } from '../../calls.ts';
import { DecisionBadge } from '../../parts/decision.tsx';
import { Empty } from '../../parts/empty.tsx';
import { FIELDS } from '../../parts/fields.ts';
import { Named } from '../../parts/named.tsx';
import { useNames } from '../../parts/names.ts';
import { Picker } from '../../parts/picker.tsx';
import { Problem } from '../../parts/problem.tsx';
import type { NameOf } from '../../refs.ts';
import { PolicyDocument } from './document.tsx';
import { claimsOf, exampleOfRoute, type Request, readClaims, readHeaders, scopeOf } from './examples.ts';
import { useScrollToCurrent } from './scroll.ts';
import { TrialBox } from './trial.tsx';

/** The name of an API unless it is given one. */
const DEFAULT_API = 'default';

/** The policy that a caller gets for an API, beside the routes, and requests tried against both. */
export function PolicyView({ state, go }: ViewProps) {
  const { subject, method, path } = state;
  const { value: about, error: unknown, retry } = useCall('about', {});
  const apis = about?.apis ?? [];
  const api = state.api ?? apis[0] ?? DEFAULT_API;
  const claims = state.claims === undefined ? undefined : readClaims(state.claims);
  const headers = state.headers === undefined ? undefined : readHeaders(state.headers);
  const isAsked = subject !== undefined && about !== undefined && !problemOf(claims);
  const call = isAsked
    ? { subject, api, ...(claims && 'value' in claims ? { claims: claims.value } : {}) }
    : undefined;
  const shown = useCall('policy', call);
  const request =
    call && method !== undefined && path !== undefined && !problemOf(headers)
      ? { ...call, method, path, ...(headers && 'value' in headers ? { headers: headers.value } : {}) }
      : undefined;
  const trial = useCall('tryRoute', request);
  const box = useRef<HTMLElement>(null);
  const fill = (example: Request) => {
    go({ ...example });
    // What becomes of it may be far below what was clicked.
    box.current?.scrollIntoView({ block: 'nearest' });
  };
  const { value } = shown;
  return (
    <>
      <div class="question">
        <Picker
          kind="subject"
          label={FIELDS.subject}
          value={subject}
          onChoose={(ref) => go({ subject: ref })}
        />
        <ApiField apis={apis} value={state.api} onChoose={(name) => go({ api: name })} />
        <ClaimsField
          value={state.claims}
          problem={problemOf(claims)}
          names={value ? claimsOf(value.routes) : []}
          onChange={(text) => go({ claims: text })}
        />
      </div>
      {unknown && <Problem of={unknown} retry={retry} />}
      {shown.error && <Problem of={shown.error} retry={shown.retry} />}
      {subject === undefined && (
        <Empty title="Nobody calls yet">
          Choose a subject: the caller of the API, whose policy is shown here.
        </Empty>
      )}
      {value && value.routes.length === 0 && <NoRoutes api={api} apis={apis} />}
      {value && value.routes.length > 0 && (
        <>
          <div class="policy-columns">
            <Routes of={value} tried={trial.value?.route?.id} onTry={fill} />
            <PolicyDocument of={value} matched={trial.value?.policy?.resource} onTry={fill} />
          </div>
          <TrialBox
            state={state}
            go={go}
            box={box}
            routes={value.routes}
            headersProblem={problemOf(headers)}
            called={trial}
          />
        </>
      )}
    </>
  );
}

const problemOf = (read: object | undefined): string | undefined =>
  read && 'problem' in read ? String(read.problem) : undefined;

interface ApiFieldProps {
  readonly apis: readonly string[];
  readonly value: string | undefined;
  readonly onChoose: (name: string | undefined) => void;
}

function ApiField({ apis, value, onChoose }: ApiFieldProps) {
  const id = useId();
  return (
    <div class="picker">
      <label for={id}>API</label>
      <input
        id={id}
        type="search"
        list={`${id}-list`}
        autocomplete="off"
        spellcheck={false}
        maxLength={128}
        placeholder={apis[0] ?? DEFAULT_API}
        aria-describedby={`${id}-hint`}
        value={value ?? ''}
        onChange={({ currentTarget }) => onChoose(currentTarget.value.trim())}
      />
      <datalist id={`${id}-list`}>
        {apis.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <p id={`${id}-hint`} class="policy-hint">
        the <code>API_NAME</code> of its authorizer
      </p>
    </div>
  );
}

interface ClaimsFieldProps {
  readonly value: string | undefined;
  readonly problem: string | undefined;
  /** The claims that routes take. */
  readonly names: readonly string[];
  readonly onChange: (text: string) => void;
}

function ClaimsField({ value, problem, names, onChange }: ClaimsFieldProps) {
  const id = useId();
  return (
    <div class="picker">
      <label for={id}>Claims of the token</label>
      <input
        id={id}
        dir="auto"
        autocomplete="off"
        spellcheck={false}
        placeholder="{}"
        aria-invalid={problem !== undefined}
        aria-describedby={`${id}-hint`}
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
      <p id={`${id}-hint`} class={problem === undefined ? 'policy-hint' : 'wrong'}>
        {problem ??
          (names.length === 0
            ? 'JSON; no route of this API takes one'
            : `JSON; routes take ${names.join(', ')}`)}
      </p>
    </div>
  );
}

function NoRoutes({ api, apis }: { readonly api: string; readonly apis: readonly string[] }) {
  return (
    <Empty title="There are no routes here">
      <p>
        The API <bdi>{api}</bdi> has no routes, so that its authorizer refuses every request.
        {apis.length > 0 && <> Routes are there for {apis.join(', ')}.</>}
      </p>
      <p>
        Add <code>routes:</code> to the manifest, one by{' '}
        <code>npx gatehouse-authz route add METHOD PATH</code>, or those of an OpenAPI document by{' '}
        <code>npx gatehouse-authz route import FILE</code>.
      </p>
    </Empty>
  );
}

type CoveredRoute = PolicyShown['routes'][number];

interface RoutesProps {
  readonly of: PolicyShown;
  /** The id of the route that the tried request matched. */
  readonly tried: string | undefined;
  readonly onTry: (request: Request) => void;
}

function Routes({ of: { routes, answer }, tried, onTry }: RoutesProps) {
  const id = useId();
  const scopes = routes.flatMap((route) => route.allowed.map(({ values }) => scopeOf(route, values)));
  const nameOf = useNames(scopes.filter((ref) => ref !== undefined));
  const list = useRef<HTMLDivElement>(null);
  useScrollToCurrent(list, tried);
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>Routes</h2>
      <div class="policy-list scrolls" ref={list}>
        <table class="policy-routes">
          <caption class="visually-hidden">Routes, and what the policy allows of them</caption>
          <thead>
            <tr>
              <th scope="col">Route</th>
              <th scope="col">Asks for</th>
              <th scope="col" class="policy-cover">
                Policy
              </th>
            </tr>
          </thead>
          <tbody>
            {routes.map((route) => (
              <tr key={route.id} aria-current={route.id === tried ? 'true' : undefined}>
                <td>
                  <button type="button" class="policy-try" onClick={() => onTry(exampleOfRoute(route))}>
                    <span class="visually-hidden">Try </span>
                    {route.method} <bdi>{route.path}</bdi>
                  </button>
                  {route.id === tried && <span class="policy-mark">◀ matched</span>}
                </td>
                <td>
                  <code>
                    <bdi>{route.permission}</bdi>
                  </code>{' '}
                  at{' '}
                  <code>
                    <bdi>{route.scope}</bdi>
                  </code>
                </td>
                <td>
                  <Cover of={route} isWhole={answer !== undefined} nameOf={nameOf} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

interface CoverProps {
  readonly of: CoveredRoute;
  readonly isWhole: boolean;
  readonly nameOf: NameOf;
}

/** What a policy says of a route; where there is none, what is known of the route alone. */
function Cover({ of, isWhole, nameOf }: CoverProps) {
  const { allowed, isCoverable, decision } = of;
  const alone = decision && (
    <>
      {' '}
      <DecisionBadge allowed={decision.allowed} />
    </>
  );
  if (!isCoverable || !isWhole)
    return (
      <>
        <span class="policy-hint">{isCoverable ? 'for each request' : 'for each connection'}</span>
        {alone}
      </>
    );
  if (allowed.length === 0) return <span>✕ nothing</span>;
  const values = allowed.filter((each) => Object.keys(each.values).length > 0);
  if (values.length === 0) return <span class="policy-covered">✓ all of it</span>;
  return (
    <details>
      <summary class="policy-covered">
        ✓ {values.length} {values.length === 1 ? 'value' : 'values'}
      </summary>
      <ul class="policy-values">
        {values.map((each) => (
          <li key={each.resources.join(' ')}>
            <Values of={of} values={each.values} nameOf={nameOf} />
          </li>
        ))}
      </ul>
    </details>
  );
}

interface ValuesProps extends Pick<CoverProps, 'of' | 'nameOf'> {
  readonly values: Readonly<Record<string, string>>;
}

/** Values of a route's parameters, with the name of the scope that they make. */
function Values({ of, values, nameOf }: ValuesProps) {
  const scope = scopeOf(of, values);
  const name = scope && nameOf(scope);
  return (
    <>
      {scope !== undefined && name !== undefined && (
        <>
          <Named of={{ ref: scope, name }} />{' '}
        </>
      )}
      <code>
        <bdi>{Object.values(values).join(', ')}</bdi>
      </code>
    </>
  );
}
