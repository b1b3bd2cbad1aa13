import {
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { yaml } from '@codemirror/lang-yaml';
import {
  bracketMatching,
  foldGutter,
  foldKeymap,
  HighlightStyle,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from '@codemirror/language';
import { type Diagnostic, setDiagnostics } from '@codemirror/lint';
import { EditorSelection, EditorState, type Text } from '@codemirror/state';
import {
  EditorView,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { TextProblem } from '../../playground/model.ts';
import type { Completion } from './completion.ts';

/** A place in a text, from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface CodeEditorParts {
  /** Gets a shadow root, whose styles are adopted style sheets: a content security policy forbids inline styles. */
  readonly host: HTMLElement;
  readonly text: string;
  /** Offsets of the selection, and whether the editor has the focus from the start. */
  readonly selection: { readonly from: number; readonly to: number };
  readonly label: string;
  /** How to use it by keyboard. */
  readonly hint: string;
  readonly completionAt: (text: string, offset: number) => Completion | undefined;
  readonly onChange: (text: string) => void;
}

export type CodeEditor = ReturnType<typeof createCodeEditor>;

/** An editor of YAML. */
export function createCodeEditor(parts: CodeEditorParts) {
  const { host, text, selection, label, hint, onChange } = parts;
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      selection: EditorSelection.single(
        Math.min(selection.from, text.length),
        Math.min(selection.to, text.length),
      ),
      extensions: [
        lineNumbers(),
        foldGutter(),
        history(),
        highlightSpecialChars(),
        highlightActiveLine(),
        yaml(),
        indentUnit.of('  '),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        EditorView.lineWrapping,
        syntaxHighlighting(COLOURS),
        THEME,
        autocompletion({
          override: [completing(parts.completionAt)],
          icons: false,
          activateOnTypingDelay: 50,
        }),
        EditorView.contentAttributes.of({
          'aria-label': label,
          'aria-description': hint,
          // The focus can be here without it; tools that look for what scrolls do not know.
          tabindex: '0',
          spellcheck: 'false',
        }),
        keymap.of([
          { key: 'Escape', run: leaving },
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...foldKeymap,
          ...historyKeymap,
          ...defaultKeymap,
          indentWithTab,
        ]),
        // The next Tab leaves the editor, until something is typed or the editor is left.
        EditorView.domEventHandlers({
          blur: (_, blurred) => {
            blurred.setTabFocusMode(false);
          },
        }),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (!docChanged) return;
          view.setTabFocusMode(false);
          onChange(state.doc.toString());
        }),
      ],
    }),
  });
  return {
    /** Replaces the text in one step, which can be undone. */
    replace: (next: string): void => {
      const { doc } = view.state;
      if (doc.toString() !== next)
        view.dispatch({ changes: { from: 0, to: doc.length, insert: next }, selection: { anchor: 0 } });
    },
    mark: (problems: readonly TextProblem[]): void => {
      const { state } = view;
      view.dispatch(
        setDiagnostics(
          state,
          problems.map((problem) => diagnosticOf(state.doc, problem)),
        ),
      );
    },
    goTo: (place: Place): void => {
      const anchor = offsetOf(view.state.doc, place);
      view.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
      });
      view.focus();
    },
    focus: () => view.focus(),
    destroy: () => view.destroy(),
  };
}

/** Escape: the next Tab moves the focus, however long it takes. A list of completions is closed by it before. */
const leaving = (view: EditorView): boolean => {
  view.setTabFocusMode(true);
  return false;
};

const completing =
  (completionAt: CodeEditorParts['completionAt']) =>
  ({ state, pos, explicit }: CompletionContext): CompletionResult | null => {
    const found = completionAt(state.doc.toString(), pos);
    if (!found || (!explicit && found.from === pos)) return null;
    return {
      from: found.from,
      to: found.to,
      options: found.suggestions.map(({ label, insert, kind, description }) => ({
        label,
        apply: insert,
        detail: kind,
        ...(description === undefined ? {} : { info: description }),
      })),
      validFor: /^[\w@.:-]*$/,
    };
  };

function offsetOf(doc: Text, { line, column }: Place): number {
  const { from, to } = doc.line(Math.max(1, Math.min(line, doc.lines)));
  return Math.min(from + Math.max(0, column - 1), to);
}

function diagnosticOf(doc: Text, problem: TextProblem): Diagnostic {
  const { message, endLine, endColumn } = problem;
  const from = offsetOf(doc, problem);
  const to =
    endLine === undefined || endColumn === undefined
      ? doc.lineAt(from).to
      : offsetOf(doc, { line: endLine, column: endColumn });
  return { from, to: Math.max(from, to), severity: 'error', message };
}

const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: 'var(--accent)' },
  { tag: [tags.string, tags.special(tags.string)], color: 'var(--allowed)' },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: 'var(--warning)' },
  { tag: [tags.comment, tags.lineComment], color: 'var(--muted)', fontStyle: 'italic' },
  { tag: [tags.punctuation, tags.separator, tags.brace, tags.squareBracket], color: 'var(--muted)' },
]);

const THEME = EditorView.theme({
  '&': { height: '100%', color: 'var(--text)', backgroundColor: 'var(--raised)' },
  '&.cm-focused': { outline: '2px solid var(--focus)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--mono)', fontSize: 'var(--small)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)', minWidth: '0' },
  '.cm-gutters': {
    color: 'var(--muted)',
    backgroundColor: 'var(--surface)',
    borderInlineEnd: '1px solid var(--line)',
  },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', outline: '1px solid' },
  '.cm-foldPlaceholder': {
    color: 'var(--muted)',
    backgroundColor: 'var(--surface)',
    borderColor: 'var(--line)',
  },
  '.cm-specialChar': { color: 'var(--refused)' },
  // The library's marks are images in data: addresses, which the content security policy forbids.
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--refused)',
    textDecorationSkipInk: 'none',
    textUnderlineOffset: '3px',
  },
  '.cm-lintPoint:after': { borderBottomColor: 'var(--refused)' },
  '.cm-tooltip': {
    maxWidth: 'min(24rem, 90vw)',
    color: 'var(--text)',
    backgroundColor: 'var(--raised)',
    border: '1px solid var(--strong-line)',
    borderRadius: 'var(--radius)',
    overflowWrap: 'anywhere',
  },
  '.cm-diagnostic-error': { borderInlineStartColor: 'var(--refused)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': {
    fontFamily: 'var(--mono)',
    fontSize: 'var(--small)',
    maxWidth: '90vw',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '0.2rem 0.5rem' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    color: 'var(--on-accent)',
    backgroundColor: 'var(--accent)',
  },
  '.cm-completionDetail': { fontStyle: 'normal', opacity: '1' },
  '.cm-completionMatchedText': { fontWeight: '700' },
});
