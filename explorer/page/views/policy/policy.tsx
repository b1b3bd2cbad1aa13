import { useId, useRef } from 'preact/hooks';
import type { CoveredRoute, PolicyShown } from '../../../service/index.ts';
import { useAddress } from '../../address.ts';
import { useCall } from '../../calls.ts';
import { useNames } from '../../names.tsx';
import { actingIn } from '../../parts/asked.ts';
import { counted } from '../../parts/counted.ts';
import { DecisionBadge } from '../../parts/decision.tsx';
import { Empty } from '../../parts/empty.tsx';
import { TextField } from '../../parts/field.tsx';
import { Named } from '../../parts/named.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ActingFields, QuestionFields } from '../../parts/question.tsx';
import { Table, type TableColumn } from '../../parts/table.tsx';
import { PolicyDocument } from './document.tsx';
import { type Request, readClaims, readHeaders } from './examples.ts';
import { useScrollToCurrent } from './scroll.ts';
import { TrialBox } from './trial.tsx';

/** The name of an API unless it is given one. */
const DEFAULT_API = 'default';

/** The policy that a caller gets for an API, beside the routes, and requests tried against both. */
export function PolicyView() {
  const { state, go } = useAddress();
  const { subject, method, path } = state;
  const { value: about, error: unknown, retry } = useCall('about', {});
  const apis = about?.apis ?? [];
  const api = state.api ?? apis[0] ?? DEFAULT_API;
  const claims = readClaims(state.claims);
  const headers = readHeaders(state.headers);
  const isAsked = subject !== undefined && about !== undefined && claims.problem === undefined;
  const call = isAsked ? { subject, ...actingIn(state), api, claims: claims.value } : undefined;
  const shown = useCall('policy', call);
  const request =
    call && method !== undefined && path !== undefined && headers.problem === undefined
      ? { ...call, method, path, headers: headers.value }
      : undefined;
  const trial = useCall('tryRoute', request);
  const box = useRef<HTMLElement>(null);
  const fill = (example: Request) => {
    go({ ...example });
    // What becomes of it may be far below what was clicked.
    box.current?.scrollIntoView({ block: 'nearest' });
  };
  const { value } = shown;
  const claimNames = value?.takes.claims ?? [];
  return (
    <>
      <div class="question">
        <QuestionFields of={['subject']} />
        <TextField
          label="API"
          type="search"
          maxLength={128}
          placeholder={apis[0] ?? DEFAULT_API}
          suggestions={apis}
          hint={
            <>
              the <code>API_NAME</code> of its authorizer
            </>
          }
          value={state.api ?? ''}
          onCommit={(text) => go({ api: text.trim() })}
        />
        <TextField
          label="Claims of the token"
          placeholder="{}"
          hint={
            claimNames.length === 0
              ? 'JSON; no route of this API takes one'
              : `JSON; routes take ${claimNames.join(', ')}`
          }
          problem={claims.problem}
          value={state.claims ?? ''}
          onCommit={(text) => go({ claims: text.trim() })}
        />
      </div>
      <ActingFields />
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
          <TrialBox box={box} of={value} headersProblem={headers.problem} called={trial} />
        </>
      )}
    </>
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

interface RoutesProps {
  readonly of: PolicyShown;
  /** The id of the route that the tried request matched. */
  readonly tried: string | undefined;
  readonly onTry: (request: Request) => void;
}

function Routes({ of: { routes, answer }, tried, onTry }: RoutesProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  useScrollToCurrent(list, tried);
  const columns: readonly TableColumn<CoveredRoute>[] = [
    {
      title: 'Route',
      show: (route) => (
        <>
          <button type="button" class="policy-try" onClick={() => onTry(route.example)}>
            <span class="visually-hidden">Try </span>
            {route.method} <bdi>{route.path}</bdi>
          </button>
          {route.id === tried && <span class="policy-mark">◀ matched</span>}
        </>
      ),
    },
    {
      title: 'Asks for',
      show: ({ permission, scope }) => (
        <>
          <code>{permission}</code> at <code>{scope}</code>
        </>
      ),
    },
    {
      title: 'Policy',
      class: 'policy-cover',
      show: (route) => <Cover of={route} isWhole={answer !== undefined} />,
    },
  ];
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>Routes</h2>
      <div class="policy-list scrolls" ref={list}>
        <Table
          class="policy-routes stacks"
          rows={routes}
          columns={columns}
          keyOf={({ id: route }) => route}
          caption={<caption class="visually-hidden">Routes, and what the policy allows of them</caption>}
          isCurrent={({ id: route }) => route === tried}
        />
      </div>
    </section>
  );
}

interface CoverProps {
  readonly of: CoveredRoute;
  readonly isWhole: boolean;
}

/** What a policy says of a route; where there is none, what is known of the route alone. */
function Cover({ of, isWhole }: CoverProps) {
  const { allowed, isCoverable, decision } = of;
  if (!isCoverable || !isWhole)
    return (
      <>
        <span class="help">{isCoverable ? 'for each request' : 'for each connection'}</span>{' '}
        {decision && <DecisionBadge allowed={decision.allowed} />}
      </>
    );
  if (allowed.length === 0) return <span>✕ nothing</span>;
  const values = allowed.filter((each) => Object.keys(each.values).length > 0);
  if (values.length === 0) return <span class="policy-covered">✓ all of it</span>;
  return (
    <details>
      <summary class="policy-covered">✓ {counted(values.length, 'value')}</summary>
      <ul class="policy-values">
        {values.map((each) => (
          <li key={each.resources.join(' ')}>
            <Values of={each} />
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Values of a route's parameters, with the name of the scope that they make. */
function Values({ of: { values, scope } }: { readonly of: CoveredRoute['allowed'][number] }) {
  const nameOf = useNames();
  const name = scope && nameOf(scope);
  return (
    <>
      {scope !== undefined && name !== undefined && <Named of={{ ref: scope, name }} />}{' '}
      <code>
        <bdi>{Object.values(values).join(', ')}</bdi>
      </code>
    </>
  );
}
