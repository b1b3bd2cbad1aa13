import { type PlannedChange, planSections, stepText } from '../../../../provisioning/index.ts';
import { Few } from '../../parts/few.tsx';

/** Rows of a section that are shown before somebody asks for all. */
const FIRST = 40;

const SIGNS = { create: '+', change: '~', remove: '−' } as const;

/** A change of a plan, and whether a saved one does not have it. */
export type ShownChange = PlannedChange & { readonly isBeyond?: boolean };

/** The changes of a plan, what is dangerous first. */
export const Planned = ({ changes }: { readonly changes: readonly ShownChange[] }) => (
  <>
    {planSections(changes).map(([title, of]) => (
      <section key={title} class="planned">
        <h2>
          {title} ({of.length.toLocaleString('en')})
        </h2>
        <Few of={of} most={FIRST} show={(change) => <Line of={change} />} />
      </section>
    ))}
  </>
);

const Line = ({ of }: { readonly of: ShownChange }) => (
  <li>
    <span class={`verb ${of.verb}`}>
      <span aria-hidden="true">{SIGNS[of.verb]}</span> {of.verb}
    </span>{' '}
    <bdi>{stepText(of)}</bdi>
    {of.danger !== undefined && (
      <strong class="danger">
        {' '}
        <span aria-hidden="true">⚠</span> <bdi>{of.danger}</bdi>
      </strong>
    )}
    {of.isBeyond && <strong class="beyond"> not in the plan</strong>}
  </li>
);
