import type { ComponentChildren, FunctionComponent } from 'preact';
import { type Address, type Go, linkTo, useAddress, type ViewProps } from './address.ts';
import { LiveView } from './views/live/live.tsx';
import { LogView } from './views/log/log.tsx';
import { MapView } from './views/map/map.tsx';
import { MatrixView } from './views/matrix/matrix.tsx';
import { PolicyView } from './views/policy/policy.tsx';
import { SearchView } from './views/search/search.tsx';
import { WhatIfView } from './views/what-if/what-if.tsx';
import { WhyView } from './views/why/why.tsx';

interface ShownView {
  readonly title: string;
  readonly View: FunctionComponent<ViewProps>;
  /** One sentence: what is to be seen, and where to go from it. The argument is the address of a view. */
  readonly lead: (to: (view: string) => string) => ComponentChildren;
}

const VIEWS: Readonly<Record<string, ShownView>> = {
  map: {
    title: 'Map',
    View: MapView,
    lead: (to) => (
      <>
        These are the scopes of the table, from its tenants down: choose one for its groups, roles and people,
        or <a href={to('why')}>ask why</a> somebody may do something there.
      </>
    ),
  },
  why: {
    title: 'Why',
    View: WhyView,
    lead: (to) => (
      <>
        Whether a subject may do something at a scope, and by which path; for roles see the{' '}
        <a href={to('matrix')}>matrix</a>.
      </>
    ),
  },
  search: {
    title: 'Who, what, where',
    View: SearchView,
    lead: (to) => (
      <>
        Give two of subject, permission and scope to find the third; each answer leads to its{' '}
        <a href={to('why')}>why</a>.
      </>
    ),
  },
  matrix: {
    title: 'Matrix',
    View: MatrixView,
    lead: (to) => (
      <>
        What each role that can be granted at a scope gives somebody who has no other role; for one person,
        ask <a href={to('why')}>why</a>.
      </>
    ),
  },
  'what-if': {
    title: 'What if',
    View: WhatIfView,
    lead: () =>
      'Who would gain and who would lose access by a change: choose one, and see it before it is made.',
  },
  live: {
    title: 'Live',
    View: LiveView,
    lead: () => 'The decisions of the local stack as they happen, and how long caches outlive a revocation.',
  },
  log: {
    title: 'Log',
    View: LogView,
    lead: () =>
      'Who changed what and when: choose a log, and open a record for what was there before and after.',
  },
  policy: {
    title: 'Policy',
    View: PolicyView,
    lead: () =>
      'The IAM policy that API Gateway gets for one caller of an API, beside the routes it is made from: try a request, and see what both say.',
  },
};

const FIRST = 'map';

const isView = (name: string): boolean => Object.hasOwn(VIEWS, name);

/** What a mode of the page puts around its views: where the service is, and what else is on the screen. */
export interface ModeProps {
  readonly address: Address;
  readonly go: Go;
  readonly children: ComponentChildren;
}

/** The whole page: the views' navigation, and the one that the address names. */
export function App({ page: Mode }: { readonly page: FunctionComponent<ModeProps> }) {
  const [address, go] = useAddress();
  const { state } = address;
  const current = isView(address.view) ? address.view : FIRST;
  const { View, title, lead } = VIEWS[current] as ShownView;
  return (
    <Mode address={{ ...address, view: current }} go={go}>
      <nav class="views" aria-label="Views">
        {Object.entries(VIEWS).map(([name, view]) => (
          <a key={name} href={linkTo(name, state)} aria-current={name === current ? 'page' : undefined}>
            {view.title}
          </a>
        ))}
      </nav>
      <main id="main" class={`view ${current}`} tabIndex={-1}>
        <h1>{title}</h1>
        <p class="lead">{lead((view) => linkTo(view, state))}</p>
        <View key={current} state={state} go={go} />
      </main>
    </Mode>
  );
}
