import { type PlannedChange, planSections, stepText } from '../../../../provisioning/index.ts';
import { Few } from '../../parts/few.tsx';

/** Rows of a section that are shown before somebody asks for all. */
const FIRST = 40;

const SIGNS = { create: '+', change: '~', remove: '−' } as const;

export interface PlannedProps {
  readonly changes: readonly PlannedChange[];
  /** Whether a saved plan does not have a change. */
  readonly beyond?: ((change: PlannedChange) => boolean) | undefined;
}

/** The changes of a plan, what is dangerous first. */
export const Planned = ({ changes, beyond }: PlannedProps) => (
  <>
    {planSections(changes).map(([title, of]) => (
      <section key={title} class="planned">
        <h2>
          {title} ({of.length.toLocaleString('en')})
        </h2>
        <Few of={of} most={FIRST} show={(change) => <Line of={change} isBeyond={beyond?.(change)} />} />
      </section>
    ))}
  </>
);

interface LineProps {
  readonly of: PlannedChange;
  readonly isBeyond: boolean | undefined;
}

const Line = ({ of, isBeyond }: LineProps) => (
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
    {isBeyond && <strong class="beyond"> not in the plan</strong>}
  </li>
);
