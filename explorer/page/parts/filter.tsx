import { useId } from 'preact/hooks';

export interface FilterProps {
  readonly label: string;
  readonly value: string;
  /** Undefined for an empty field. */
  readonly onFilter: (text: string | undefined) => void;
}

/** The field that filters the rows of a table. */
export function Filter({ label, value, onFilter }: FilterProps) {
  const id = useId();
  return (
    <span class="filter">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        dir="auto"
        autocomplete="off"
        spellcheck={false}
        value={value}
        onInput={({ currentTarget: { value: typed } }) => onFilter(typed === '' ? undefined : typed)}
      />
    </span>
  );
}
