import * as z from 'zod';
import { parsed } from '../../table/entities/fields.ts';
import { GatehouseError } from '../../table/errors.ts';
import { readPermissionName } from '../../table/permission-name.ts';
import {
  parsePathTemplate,
  parseScopeTemplate,
  parseValueTemplate,
  pathParametersOf,
} from '../../table/route-template.ts';

/** What the parts of a route must be, and what is said where they are not. */

/** A permission or a template of one. */
export const permissionTemplate = z
  .string('must be a text such as project:read:project')
  .pipe(parsed(400, parseValueTemplate))
  .superRefine((text, context) => {
    // A template that no value makes a permission would refuse everybody, and only at the first request.
    const filled = tryParse(() =>
      parseValueTemplate(text, '').map((part) => (part.kind === 'literal' ? part.text : 'x')),
    );
    if (Array.isArray(filled) && !readPermissionName(filled.join('')))
      context.addIssue(`${text} is neither a page nor module:action:resource`);
  });

/** A scope or a template of one. */
export const scopeTemplate = z
  .string('must be a text such as project:{project}')
  .pipe(parsed(400, parseScopeTemplate));

/** Whether it is a name of the scope that a route is always at; otherwise it is a template of one, or a reference. */
export const isScopeName = (text: string): boolean =>
  text.trim() !== '' && !/[{}]/.test(text) && !/^[a-z][a-z0-9-]*:/.test(text);

/** Why a path can be none of ours, and what to write instead; undefined when it can be. */
export function pathProblem(path: string): string | undefined {
  const problem = tryParse(() => void parsePathTemplate(path, ''));
  if (typeof problem !== 'string') return path.length > 400 ? 'is longer than 400 characters' : undefined;
  if (!path.startsWith('/')) return problem;
  if (path.endsWith('/')) return 'ends in a slash, and such requests match no route: leave it out';
  if (path.includes('//')) return 'holds a double slash, and such requests match no route';
  for (const segment of path.slice(1).split('/')) {
    const [, name] = /^\{([^{}]*?)\+?\}$/.exec(segment) ?? [];
    if (name !== undefined && !/^[A-Za-z][A-Za-z0-9_]*$/.test(name))
      return `has the parameter {${name}}: names hold letters, digits and _ and begin with a letter${renamed(name)}`;
    if (name === undefined && /[{}]/.test(segment))
      return `has the segment ${segment}: one is either a text or one {parameter}`;
  }
  return problem;
}

function renamed(name: string): string {
  const better = name.replace(/[^A-Za-z0-9_]+/g, '_');
  return /^[A-Za-z]/.test(better) ? `, as {${better}}` : '';
}

/** Names in a template, of a permission or a scope, that its path does not have. */
export function unknownNames(path: string, template: string): readonly string[] {
  const has = new Set(
    parsePathTemplate(path, '').flatMap((segment) => (segment.kind === 'literal' ? [] : [segment.name])),
  );
  return pathParametersOf(template).filter((name) => !has.has(name));
}

/** What a reader of templates gives, or what it says against its text. */
function tryParse<T>(read: () => T): T | string {
  try {
    return read();
  } catch (error) {
    if (error instanceof GatehouseError) return error.message.trim();
    throw error;
  }
}
