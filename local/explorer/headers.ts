import { createHash } from 'node:crypto';

/** What every answer of the explorer says to a browser. */
const COMMON = {
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const NOTHING_ELSE = "frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

/** The page loads its own files and asks its own server: nothing inline, no other origin, no frame. */
export const HEADERS = {
  ...COMMON,
  'content-security-policy':
    `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; ` +
    `worker-src 'self'; ${NOTHING_ELSE}`,
} as const;

/** Headers of a page of text that has one style sheet, inline, and loads nothing. */
export const headersOfNotice = (style: string) => ({
  ...COMMON,
  'content-security-policy':
    `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; ` +
    NOTHING_ELSE,
});
