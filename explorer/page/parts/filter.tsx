import { TextField } from './field.tsx';

export interface FilterProps {
  readonly label: string;
  readonly value: string;
  /** Undefined for an empty field. */
  readonly onFilter: (text: string | undefined) => void;
}

/** The field that filters the rows of a table. */
export const Filter = ({ label, value, onFilter }: FilterProps) => (
  <TextField
    class="filter"
    label={label}
    type="search"
    value={value}
    onType={(text) => onFilter(text || undefined)}
  />
);
