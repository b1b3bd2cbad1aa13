import type { Opened } from './document.ts';

/** More bytes are neither a manifest (1 MB) nor a plan of one. */
const MOST_BYTES = 4_194_304;

/** A text that was opened, with what it holds. */
export interface OpenedFile {
  readonly name: string;
  readonly text: string;
  readonly opened: Opened;
}

/** Reads a text, by code that is loaded for it. */
export async function readOpened(name: string, text: string): Promise<OpenedFile> {
  const { openText } = await import('./document.ts');
  return { name, text, opened: openText(name, text) };
}

export async function readFile(file: File): Promise<OpenedFile> {
  if (file.size <= MOST_BYTES) return readOpened(file.name, await file.text());
  const problem = `${file.name} is larger than a manifest or a plan may be`;
  return { name: file.name, text: '', opened: { problem } };
}
