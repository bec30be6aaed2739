// Values that the documentation leaves open until it is read: with the demo on this machine they are the demo's own, so that
// an example works as copied, and otherwise they are words that say what belongs there.

/** What stands in an example until the reader puts a value of their own there. */
export const PLACEHOLDERS = {
  url: 'http://127.0.0.1:8080',
  api_key: 'YOUR_API_KEY',
  api_secret: 'YOUR_API_SECRET',
  template_no: 'YOUR_TEMPLATE_NO',
  service_account_no: 'YOUR_SERVICE_ACCOUNT_NO',
  customer_no: 'CUSTOMER_NO',
  channel_no: 'CHANNEL_NO',
  firm: 'cmcc',
  task_no: 'TASK_NO',
  /** The path, not the token: a page never carries that. */
  operator_token_file: 'data/operator-token',
} as const;

export type PlaceholderName = keyof typeof PLACEHOLDERS;
export type PlaceholderValues = Readonly<Record<PlaceholderName, string>>;

// From the private use area of Unicode: no text of ours has them, and no highlighter takes them apart.
const OPEN = '\uE000';
const CLOSE = '\uE001';
const MARK = new RegExp(`${OPEN}(\\w+)${CLOSE}`, 'g');

export function placeholder(name: PlaceholderName): string {
  return `${OPEN}${name}${CLOSE}`;
}

/** Values come from our own rows and settings, and are escaped all the same. */
export function fillPlaceholders(page: string, values: PlaceholderValues): string {
  return page.replaceAll(MARK, (_, name: string) => escapeText(isName(name) ? values[name] : name));
}

function isName(name: string): name is PlaceholderName {
  return Object.hasOwn(PLACEHOLDERS, name);
}

export function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
