// Bodies that cost a service the most: hostile ones, and the largest that are legal. For tests of what one customer can do to
// the others.

const MIB = 1024 * 1024;

/** JSON that makes parsers slow, by name; each as large as a body may be. */
export const hostileBodies = {
  'nested lists': (bytes = 16 * MIB) => Buffer.alloc(bytes, '['),
  'many objects': (bytes = 16 * MIB) => Buffer.from(`[${'{},'.repeat((bytes - 8) / 3)}{}]`),
  'many objects in a field': (bytes = 16 * MIB) => Buffer.from(`{"phones":[${'{},'.repeat((bytes - 24) / 3)}{}]}`),
  'many keys': (bytes = 16 * MIB) => Buffer.from(`{${writeKeys(bytes - 16)}"z":1}`),
  'one long text': (bytes = 16 * MIB) => Buffer.from(`{"phones":["${'国'.repeat((bytes - 24) / 3)}"]}`),
  'one long number': (bytes = 16 * MIB) => Buffer.from(`{"phones":[${'1'.repeat(bytes - 24)}]}`),
  'white space': (bytes = 16 * MIB) => Buffer.from(`{"phones":[${' '.repeat(bytes - 24)}]}`),
} satisfies Readonly<Record<string, (bytes?: number) => Buffer>>;

function writeKeys(bytes: number): string {
  const key = (at: number) => `"k${String(at).padStart(8, '0')}":1,`;
  return Array.from({ length: bytes / key(0).length }, (_, at) => key(at)).join('');
}

/** 5,000 recipients with 18 variables each fill a body of the largest size. */
export function largestSend(templateNo: string, count = 5000): object {
  const character = '国';
  const characters = Math.floor(165 / Buffer.byteLength(character));
  const values = Array.from({ length: 18 }, () => character.repeat(characters));
  const recipients = mobiles(count).map((phone) => ({ phone, variable_values: values }));
  return { template_no: templateNo, recipients };
}

/** Plain Chinese mobiles, which are the quickest to read. */
export function mobiles(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `1380${String(1_000_000 + at)}`);
}

/** Numbers in spellings that only the library for phone numbers can read. */
export function oddNumbers(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `+44 (0) 79-11.${String(100_000 + at)}`);
}
