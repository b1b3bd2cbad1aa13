import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

export interface Labelled {
  readonly label: ComponentChildren;
  /** What is to be known of it. */
  readonly hint?: ComponentChildren;
  /** What is wrong with it, in place of the hint. */
  readonly problem?: string | undefined;
  /** Whether what is wrong is said at once. */
  readonly isAlert?: boolean | undefined;
}

/** What a field is given by those around it. */
interface Control {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

interface FieldProps extends Labelled {
  readonly class?: string | undefined;
  readonly children: (control: Control) => ComponentChildren;
}

/** A field with its label, and what is to be known of it or is wrong with it. */
export function Field({ label, hint, problem, isAlert, class: classes = '', children }: FieldProps) {
  const id = useId();
  const said = problem ?? hint;
  const described = said === undefined ? undefined : `${id}-said`;
  return (
    <div class={`field ${classes}`}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-invalid': problem !== undefined, 'aria-describedby': described })}
      {said !== undefined && (
        <p
          id={described}
          class={problem === undefined ? 'help' : 'wrong'}
          role={isAlert && problem !== undefined ? 'alert' : undefined}
        >
          <bdi>{said}</bdi>
        </p>
      )}
    </div>
  );
}

/** A text that is typed: without help of the browser, in the direction of its letters. */
export const TYPED = { dir: 'auto', autocomplete: 'off', spellcheck: false } as const;

export interface TextFieldProps extends Labelled {
  readonly class?: string | undefined;
  /** Left out, the browser keeps it. */
  readonly value?: string;
  readonly type?: 'search';
  readonly dir?: 'auto' | 'ltr';
  readonly inputMode?: 'numeric';
  readonly maxLength?: number;
  readonly placeholder?: string;
  /** Of a text of several lines. */
  readonly rows?: number;
  readonly suggestions?: readonly string[];
  /** Gets each text while it is typed. */
  readonly onType?: (text: string) => void;
  /** Gets the text when it is typed. */
  readonly onCommit?: (text: string) => void;
}

interface Typed {
  readonly currentTarget: { readonly value: string };
}

/** A field for a text. */
export function TextField(props: TextFieldProps) {
  const { label, hint, problem, isAlert, class: classes, suggestions, onType, onCommit, ...input } = props;
  const listId = useId();
  const own = {
    ...TYPED,
    ...input,
    onInput: ({ currentTarget }: Typed) => onType?.(currentTarget.value),
    onChange: ({ currentTarget }: Typed) => onCommit?.(currentTarget.value),
  };
  return (
    <Field label={label} hint={hint} problem={problem} isAlert={isAlert} class={classes}>
      {(control) => (
        <>
          {props.rows === undefined ? (
            <input {...control} {...own} list={suggestions && listId} />
          ) : (
            <textarea {...control} {...own} />
          )}
          {suggestions && (
            <datalist id={listId}>
              {suggestions.map((text) => (
                <option key={text} value={text} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

export interface FileFieldProps extends Labelled {
  readonly class?: string;
  /** What may be chosen. */
  readonly accept?: string;
  readonly onOpen: (file: File) => void;
}

/** A field for a file, which may be dropped on it. */
export const FileField = ({ accept, onOpen, ...labelled }: FileFieldProps) => (
  <Field {...labelled}>
    {(control) => (
      <input
        {...control}
        type="file"
        accept={accept}
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? [];
          if (file) onOpen(file);
        }}
      />
    )}
  </Field>
);

export interface SelectProps extends Labelled {
  readonly value: string;
  /** Texts by value. */
  readonly options: Readonly<Record<string, string>>;
  readonly onChoose: (value: string) => void;
}

/** A field for one of some values. */
export function Select({ value, options, onChoose, ...labelled }: SelectProps) {
  return (
    <Field {...labelled}>
      {(control) => (
        <select {...control} value={value} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
          {Object.entries(options).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Options whose texts are their values. */
export const named = (values: Iterable<string>): Readonly<Record<string, string>> =>
  Object.fromEntries([...values].map((value) => [value, value]));

/** What is to be known before what is shown is trusted. */
export const Warning = ({
  children,
  role,
}: {
  readonly children: ComponentChildren;
  readonly role?: 'status';
}) => (
  <p class="incomplete" role={role}>
    <span aria-hidden="true">⚠</span> {children}
  </p>
);

/** What is wrong with something else than a field. */
export const Wrong = ({ text, role }: { readonly text: string | undefined; readonly role?: 'alert' }) =>
  text === undefined ? null : (
    <p class="wrong" role={role}>
      <bdi>{text}</bdi>
    </p>
  );
