// Text into HTML. Everything that comes from the document is escaped here and nowhere else.

/** HTML that is safe to put into the page as it is. */
export interface Html {
  readonly html: string;
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

type Piece = string | number | Html | readonly Html[] | undefined;

/** A template in which texts are escaped and HTML is not. */
export function html(strings: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  const filled = strings.map((text, index) => text + render(pieces[index]));
  return { html: filled.join('') };
}

/** The two bits of Markdown that descriptions use: `code` and paragraphs. */
export function prose(text: string): Html {
  const paragraphs = text.split(/\n\n+/).map((paragraph) => {
    const withCode = escapeText(paragraph).replaceAll(/`([^`]+)`/g, '<code>$1</code>');
    return `<p>${withCode}</p>`;
  });
  return { html: paragraphs.join('') };
}

export function inlineProse(text: string): Html {
  return { html: escapeText(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>') };
}

function render(piece: Piece): string {
  if (piece === undefined) return '';
  if (typeof piece === 'string') return escapeText(piece);
  if (typeof piece === 'number') return String(piece);
  if (isMany(piece)) return piece.map((one) => one.html).join('');
  return piece.html;
}

function isMany(piece: Html | readonly Html[]): piece is readonly Html[] {
  return Array.isArray(piece);
}
