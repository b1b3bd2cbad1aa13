import { type ComponentChildren, Fragment } from 'preact';

/** A stretch of a row; those of a row follow one another. Instants and ends are in the unit of the timeline. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly class: string;
  readonly sign?: string;
  /** Its title, which is also for those who do not see it. */
  readonly text?: string;
}

interface TimelineProps {
  readonly start: number;
  readonly end: number;
  readonly rows: readonly {
    readonly label: string;
    /** Shown above the row. */
    readonly head?: ComponentChildren;
    readonly spans: readonly Span[];
  }[];
  readonly now: number | undefined;
  readonly marks?: readonly number[];
  /** What the axis says, by instant. */
  readonly axis: ReadonlyMap<number, string>;
}

/** Rows of spans over one stretch of time, with an axis below them. */
export function Timeline({ start, end, rows, now, marks = [], axis }: TimelineProps) {
  const placeOf = (at: number) => ({
    insetInlineStart: `${(((at - start) / (end - start)) * 100).toFixed(3)}%`,
  });
  const isInside = (at: number | undefined): at is number => at !== undefined && at >= start && at <= end;
  // Near the end a label would be cut off where there is little room; at the end it stands before its place.
  const classOf = (at: number): string =>
    at === end ? 'end' : at > start + (end - start) * 0.8 ? 'late' : '';
  return (
    <div class="timeline">
      {rows.map(({ label, head, spans }) => (
        <Fragment key={label}>
          {head}
          <ol class="plain" aria-label={label}>
            {spans.map(({ start: from, end: until, class: classes, sign, text }) => (
              <li key={from} class={classes} style={{ flexGrow: until - from }} title={text}>
                <span aria-hidden="true">{sign}</span>
                <span class="visually-hidden">{text}</span>
              </li>
            ))}
          </ol>
        </Fragment>
      ))}
      <div class="axis" aria-hidden="true">
        {marks.filter(isInside).map((at) => (
          <span key={at} class="mark" style={placeOf(at)} />
        ))}
        {isInside(now) && <span class="now" style={placeOf(now)} />}
        {[...axis].map(([at, text], position) => (
          <span
            key={at}
            class={`label ${classOf(at)}${position % 2 === 1 ? ' minor' : ''}`}
            style={placeOf(at)}
          >
            {text}
          </span>
        ))}
      </div>
    </div>
  );
}
