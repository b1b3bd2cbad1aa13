import type { Ref } from 'preact';
import { useEffect, useImperativeHandle, useRef, useState } from 'preact/hooks';
import type { TextProblem } from '../../playground/model.ts';
import type { CodeEditor, Place } from './code-editor.ts';
import type { Completion } from './completion.ts';

/** Says how to leave the editor, for those who use a keyboard. */
export const HINT = 'Ctrl+Space completes. Esc, then Tab leaves the editor.';

export interface EditorHandle {
  readonly goTo: (place: Place) => void;
}

export interface EditorProps {
  readonly label: string;
  /** The text. The editor keeps its own while it is edited: this is taken whenever `loads` rises. */
  readonly text: string;
  readonly loads: number;
  readonly problems: readonly TextProblem[];
  readonly completionAt: (text: string, offset: number) => Completion | undefined;
  readonly onChange: (text: string) => void;
  readonly handle: Ref<EditorHandle>;
}

/** An editor of YAML: a plain field until the code of the real one has come. */
export function Editor({ label, text, loads, problems, completionAt, onChange, handle }: EditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const plain = useRef<HTMLTextAreaElement>(null);
  const [editor, setEditor] = useState<CodeEditor>();
  // What is called is always of the present props.
  const latest = useRef({ onChange, completionAt });
  latest.current = { onChange, completionAt };

  useEffect(() => {
    let created: CodeEditor | undefined;
    let isGone = false;
    import('./code-editor.ts').then(({ createCodeEditor }) => {
      if (isGone || !host.current || !plain.current) return;
      const { value, selectionStart, selectionEnd } = plain.current;
      created = createCodeEditor({
        host: host.current,
        text: value,
        label,
        hint: HINT,
        selection: { from: selectionStart, to: selectionEnd },
        completionAt: (present, offset) => latest.current.completionAt(present, offset),
        onChange: (present) => latest.current.onChange(present),
      });
      if (document.activeElement === plain.current) created.focus();
      setEditor(created);
    });
    return () => {
      isGone = true;
      created?.destroy();
    };
  }, []);

  useEffect(() => editor?.replace(text), [loads]);
  useEffect(() => editor?.mark(problems), [editor, problems]);
  useImperativeHandle(
    handle,
    () => ({
      goTo: (place) => {
        if (editor) editor.goTo(place);
        else plain.current?.focus();
      },
    }),
    [editor],
  );

  return (
    <div class="editor">
      <div ref={host} class="code" />
      {!editor && (
        <textarea
          ref={plain}
          aria-label={label}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => onChange(currentTarget.value)}
        />
      )}
    </div>
  );
}
