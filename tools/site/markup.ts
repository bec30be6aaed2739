// Text into HTML. Everything that comes from outside the templates is escaped here and nowhere else.

import { escapeText } from '#src/http/docs/placeholder.js';

/** HTML that is safe to put into the page as it is. */
export interface Html {
  readonly html: string;
}

type Piece = string | number | Html | readonly Html[] | undefined;

/** A template in which texts are escaped and HTML is not. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const filled = strings.map((text, index) => text + render(pieces[index]));
  return { html: filled.join('') };
}

export function joinHtml(pieces: readonly Html[], between = ''): Html {
  return { html: pieces.map((piece) => piece.html).join(between) };
}

/** The name a heading gets, as the places where Markdown is read make it. */
export function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function render(piece: Piece): string {
  if (piece === undefined) return '';
  if (typeof piece === 'string') return escapeText(piece);
  if (typeof piece === 'number') return String(piece);
  if (isMany(piece)) return joinHtml(piece).html;
  return piece.html;
}

function isMany(piece: Html | readonly Html[]): piece is readonly Html[] {
  return Array.isArray(piece);
}
