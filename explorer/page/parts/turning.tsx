interface TurningProps {
  /** What is turned, for the names of the buttons. */
  readonly of: string;
  /** Which are drawn, of how many. */
  readonly said: string;
  /** Left out where there is no page before or after. */
  readonly onPrevious?: (() => void) | undefined;
  readonly onNext?: (() => void) | undefined;
  readonly isLoading?: boolean;
}

/** Which part of something long is drawn, with the buttons to those before and after it. */
export function Turning({ of, said, onPrevious, onNext, isLoading }: TurningProps) {
  const turn = (name: string, sign: string, onClick: (() => void) | undefined) =>
    onClick && (
      <button type="button" aria-label={`${name} ${of}`} disabled={isLoading} onClick={onClick}>
        {sign}
      </button>
    );
  return (
    <p class="turning">
      {turn('Previous', '‹', onPrevious)} <span role="status">{isLoading ? 'Loading…' : said}</span>{' '}
      {turn('Next', '›', onNext)}
    </p>
  );
}
