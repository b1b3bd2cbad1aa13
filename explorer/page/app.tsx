import type { ComponentChildren, FunctionComponent } from 'preact';
import { type Address, type Go, linkTo, useAddress } from './address.ts';
import { LiveView } from './views/live/live.tsx';
import { LogView } from './views/log/log.tsx';
import { MapView } from './views/map/map.tsx';
import { MatrixView } from './views/matrix/matrix.tsx';
import { PolicyView } from './views/policy/policy.tsx';
import { SearchView } from './views/search/search.tsx';
import { WhatIfView } from './views/what-if/what-if.tsx';
import { WhyView } from './views/why/why.tsx';

const VIEWS = {
  map: { title: 'Map', View: MapView },
  why: { title: 'Why', View: WhyView },
  search: { title: 'Who, what, where', View: SearchView },
  matrix: { title: 'Matrix', View: MatrixView },
  'what-if': { title: 'What if', View: WhatIfView },
  live: { title: 'Live', View: LiveView },
  log: { title: 'Log', View: LogView },
  policy: { title: 'Policy', View: PolicyView },
} as const;

const FIRST = 'map';

const isView = (name: string): name is keyof typeof VIEWS => Object.hasOwn(VIEWS, name);

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
  const { View, title } = VIEWS[current];
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
        <View key={current} state={state} go={go} />
      </main>
    </Mode>
  );
}
