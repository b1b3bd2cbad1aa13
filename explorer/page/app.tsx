import type { ComponentChildren, FunctionComponent } from 'preact';
import { AddressContext, useHash } from './address.ts';
import { Link } from './parts/link.tsx';
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
  readonly View: FunctionComponent;
  /** One sentence: what is to be seen, and where to go from it. */
  readonly lead: ComponentChildren;
}

const VIEWS: Readonly<Record<string, ShownView>> = {
  map: {
    title: 'Map',
    View: MapView,
    lead: (
      <>
        These are the scopes of the table, from its tenants down: choose one for its groups, roles and people,
        or <Link to="why">ask why</Link> somebody may do something there.
      </>
    ),
  },
  why: {
    title: 'Why',
    View: WhyView,
    lead: (
      <>
        Whether a subject may do something at a scope, and by which path; for roles see the{' '}
        <Link to="matrix">matrix</Link>.
      </>
    ),
  },
  search: {
    title: 'Who, what, where',
    View: SearchView,
    lead: (
      <>
        Give two of subject, permission and scope to find the third; each answer leads to its{' '}
        <Link to="why">why</Link>.
      </>
    ),
  },
  matrix: {
    title: 'Matrix',
    View: MatrixView,
    lead: (
      <>
        What each role that can be granted at a scope gives somebody who has no other role; for one person,
        ask <Link to="why">why</Link>.
      </>
    ),
  },
  'what-if': {
    title: 'What if',
    View: WhatIfView,
    lead: 'Who would gain and who would lose access by a change: choose one, and see it before it is made.',
  },
  live: {
    title: 'Live',
    View: LiveView,
    lead: 'The decisions of the local stack as they happen, and how long caches outlive a revocation.',
  },
  log: {
    title: 'Log',
    View: LogView,
    lead: 'Who changed what and when: choose a log, and open a record for what was there before and after.',
  },
  policy: {
    title: 'Policy',
    View: PolicyView,
    lead: 'The IAM policy that API Gateway gets for one caller of an API, beside the routes it is made from: try a request, and see what both say.',
  },
};

const FIRST = 'map';

/** What a mode of the page puts around its views: where the service is, and what else is on the screen. */
export interface ModeProps {
  readonly children: ComponentChildren;
}

/** The whole page: the views' navigation, and the one that the address names. */
export function App({ page: Mode }: { readonly page: FunctionComponent<ModeProps> }) {
  const here = useHash();
  const current = Object.hasOwn(VIEWS, here.view) ? here.view : FIRST;
  const { View, title, lead } = VIEWS[current] as ShownView;
  return (
    <AddressContext.Provider value={{ ...here, view: current }}>
      <Mode>
        <nav class="views" aria-label="Views">
          {Object.entries(VIEWS).map(([name, view]) => (
            <Link key={name} to={name} current={name === current ? 'page' : undefined}>
              {view.title}
            </Link>
          ))}
        </nav>
        <main id="main" class={`view ${current}`} tabIndex={-1}>
          <h1>{title}</h1>
          <p class="lead">{lead}</p>
          <View key={current} />
        </main>
      </Mode>
    </AddressContext.Provider>
  );
}
