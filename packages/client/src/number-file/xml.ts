// As much of XML as the files of a workbook need. Everything is found by plain searches from left to right, so that the time grows
// with the length of the text, whatever it holds: patterns with a gap in the middle take hours for a few megabytes made for it.

export interface XmlElement {
  readonly attributes: Readonly<Partial<Record<string, string>>>;
  readonly content: string;
}

/** The elements of a name that does not nest. Some writers put a prefix before names. */
export function* findElements(xml: string, name: string): Generator<XmlElement> {
  for (const { attributes, contentFrom, contentTo } of findPlaces(xml, name)) {
    yield { attributes: readAttributes(attributes), content: xml.slice(contentFrom, contentTo) };
  }
}

/** The text without the elements of a name. */
export function removeElements(xml: string, name: string): string {
  let kept = '';
  let from = 0;
  for (const { start, end } of findPlaces(xml, name)) {
    kept += xml.slice(from, start);
    from = end;
  }
  return kept + xml.slice(from);
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function unescapeXml(text: string): string {
  return text
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w{1,8}));/g, (whole, decimal, hex, name) => {
      if (name !== undefined) return ENTITIES[name] ?? whole;
      return String.fromCodePoint(decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal));
    })
    .replaceAll(/_x([\da-fA-F]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

interface Place {
  readonly start: number;
  readonly end: number;
  readonly attributes: string;
  readonly contentFrom: number;
  readonly contentTo: number;
}

function* findPlaces(xml: string, name: string): Generator<Place> {
  let from = 0;
  for (;;) {
    const opening = findTag(xml, name, '<', from);
    if (opening === undefined) return;
    const { start, nameEnd, end } = opening;
    const isEmpty = xml[end - 2] === '/';
    const closing = isEmpty ? { start: end, end } : findTag(xml, name, '</', end);
    // Without its end nothing behind it can be told apart.
    if (closing === undefined) return;
    const attributes = xml.slice(nameEnd, end - (isEmpty ? 2 : 1));
    yield { start, end: closing.end, attributes, contentFrom: end, contentTo: closing.start };
    from = closing.end;
  }
}

/** The next tag of the name, with or without a prefix. */
function findTag(xml: string, name: string, sign: '<' | '</', from: number) {
  for (let start = xml.indexOf(sign, from); start !== -1; start = xml.indexOf(sign, start + 1)) {
    const nameEnd = readName(xml, name, start + sign.length);
    if (nameEnd === undefined) continue;
    const close = xml.indexOf('>', nameEnd);
    return close === -1 ? undefined : { start, nameEnd, end: close + 1 };
  }
  return undefined;
}

const MAX_PREFIX = 32;

/** Where the name ends; undefined when another name is there. */
function readName(xml: string, name: string, at: number): number | undefined {
  let start = at;
  if (!xml.startsWith(name, start)) {
    const colon = xml.slice(at, at + MAX_PREFIX).indexOf(':');
    if (colon === -1 || !xml.startsWith(name, at + colon + 1)) return undefined;
    start = at + colon + 1;
  }
  const end = start + name.length;
  return /[\s/>]/.test(xml[end] ?? '') ? end : undefined;
}

function readAttributes(text: string): Record<string, string> {
  const attributes: Record<string, string> = {};
  let from = 0;
  for (;;) {
    const equals = text.indexOf('="', from);
    const quote = equals === -1 ? -1 : text.indexOf('"', equals + 2);
    if (quote === -1) return attributes;
    const name = text.slice(from, equals).trim();
    attributes[name] = unescapeXml(text.slice(equals + 2, quote));
    from = quote + 1;
  }
}
