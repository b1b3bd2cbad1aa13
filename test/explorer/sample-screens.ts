import type { Page } from 'playwright-core';
import type { ServedExplorer } from '../support/served-explorer.ts';
import { NOW, type SampleTable } from './worlds.ts';

/** A view of the page, with a state in which it has something to show. */
export interface SampleScreen {
  /** As the address has it. */
  readonly name: string;
  readonly title: string;
  readonly state: Readonly<Record<string, string>>;
  /** A text that is on the screen when the view has loaded. */
  readonly shows: RegExp;
}

/** Each view of the explorer over the sample tenants. */
export function sampleScreens({
  client,
  harbour,
  lighthouse,
  north,
  tina,
  carl,
  teachersNorth,
}: SampleTable): readonly SampleScreen[] {
  const teaching = { subject: tina, permission: 'grades', scope: north };
  const change = [{ command: 'membership.delete', input: { user: tina.slice(5), group: teachersNorth } }];
  return [
    {
      name: 'map',
      title: 'Map',
      state: { open: [client, harbour, lighthouse].join(), scope: lighthouse },
      shows: /^Lighthouse desk$/,
    },
    {
      name: 'why',
      title: 'Why',
      state: { subject: carl, permission: 'doors:open:door', scope: lighthouse },
      shows: / refused$/,
    },
    {
      name: 'search',
      title: 'Who, what, where',
      state: { search: 'who', permission: 'grades', scope: north },
      shows: /^user:/,
    },
    { name: 'matrix', title: 'Matrix', state: { scope: lighthouse }, shows: /^\d+ permissions$/ },
    {
      name: 'what-if',
      title: 'What if',
      state: { ...teaching, change: JSON.stringify(change) },
      shows: /loses?\b/,
    },
    { name: 'live', title: 'Live', state: {}, shows: /doors:open:door/ },
    { name: 'log', title: 'Log', state: { tenant: client }, shows: /^setting\.create$/ },
    {
      name: 'policy',
      title: 'Policy',
      state: { subject: tina, method: 'GET', path: `/locations/${north.slice(9)}/pages/grades` },
      shows: /GET/,
    },
  ];
}

export const hashOf = ({ name, state }: SampleScreen): string => `${name}?${new URLSearchParams(state)}`;

/** Waits until the view has loaded. */
export const loaded = (page: Page, { shows }: SampleScreen): Promise<void> =>
  page.getByRole('main').getByText(shows).first().waitFor();

const requestOf = (permission: string, id: string) =>
  permission === 'doors:open:door'
    ? { method: 'POST', path: `/buildings/${id}/doors` }
    : { method: 'GET', path: `/locations/${id}/pages/${permission}` };

/** Decisions as requests to the local stack cause them, from the oldest to the newest. */
export function addDecisions(
  { happened }: ServedExplorer,
  { tina, carl, north, lighthouse }: SampleTable,
): void {
  const decisions = [
    [tina, 'grades', north, true, 'role', 1, 5, 4.21],
    [tina, 'grades', north, true, 'role', 0, 0, 0.08],
    [carl, 'doors:open:door', lighthouse, false, 'no_grant', 2, 7, 6.4],
    [tina, 'schedule', north, true, 'role', 0, 0, 0.05],
  ] as const;
  for (const [
    position,
    [subject, permission, scope, allowed, reason, calls, units, milliseconds],
  ] of decisions.entries())
    happened({
      kind: 'decision',
      source: 'http-simple',
      consistency: 'cached',
      isStale: false,
      at: NOW - (decisions.length - position) * 1_500,
      isFirst: position === 0,
      subject,
      permission,
      scope,
      allowed,
      reason,
      calls,
      units,
      milliseconds,
      request: requestOf(permission, scope.replace(/^\w+:/, '')),
    });
  happened({
    kind: 'request',
    source: 'http-simple',
    method: 'GET',
    path: '/nowhere',
    status: 403,
    decisions: 0,
    authorizer: 'miss',
    at: NOW - 500,
  });
}
