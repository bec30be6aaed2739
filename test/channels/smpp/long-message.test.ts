import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Part } from '../../../src/channels/channel.js';
import { createReferenceAllocator } from '../../../src/channels/session/concatenation.js';
import { deriveDestination, deriveSource, normaliseHandset } from '../../../src/channels/smpp/address.js';
import { decodeText, encodeText, encodeUcs2 } from '../../../src/channels/smpp/charset.js';
import { decodeGsm0338, encodeGsm0338, packSeptets, unpackSeptets } from '../../../src/channels/smpp/gsm0338.js';
import { type EncodingRules, encodePart, readInbound } from '../../../src/channels/smpp/long-message.js';
import { createPart } from './peer.js';

const RULES: EncodingRules = { charset: 'gsm0338', data_coding_gsm7: 0, data_coding_ucs2: 8, long_message: 'udh8' };
const ALPHABET = [
  ...'@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
  ...'\f^{}\\[~]|€',
];

function encode(part: Part, over: Partial<EncodingRules> = {}, submitted: Part[] = [part]) {
  const encoded = encodePart(part, submitted, { ...RULES, ...over }, createReferenceAllocator());
  if (encoded === undefined) throw new Error('the part cannot be encoded');
  return encoded;
}

describe('GSM 03.38', () => {
  it('has every character of the standard, at its place', () => {
    expect(ALPHABET).toHaveLength(127 + 10);
    expect(encodeGsm0338('@£$\n_ Aaà€{')?.toString('hex')).toBe('0001020a112041617f1b651b28');
    expect(encodeGsm0338('`')).toBeUndefined();
    expect(encodeGsm0338('\x1b')).toBeUndefined();
    expect(encodeGsm0338('汉')).toBeUndefined();
  });

  it('reads back what it writes, packed and unpacked, after any header', () => {
    const texts = fc.array(fc.constantFrom(...ALPHABET), { maxLength: 80 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(texts, fc.integer({ min: 0, max: 8 }), (text, headerBytes) => {
        const septets = encodeGsm0338(text) ?? Buffer.alloc(0);
        expect(decodeGsm0338(septets)).toBe(text);
        const unpacked = unpackSeptets(packSeptets(septets, headerBytes), headerBytes);
        // A final @ in the last seven bits cannot be told from padding, which the standard says is a carriage return.
        expect(decodeGsm0338(unpacked).replace(/[@\r]$/, '')).toBe(text.replace(/[@\r]$/, ''));
      }),
    );
  });

  it('packs as the standard’s own example', () => {
    expect(packSeptets(encodeGsm0338('hellohello') ?? Buffer.alloc(0)).toString('hex')).toBe('e8329bfd4697d9ec37');
  });

  it('shows an undefined extension as its basic character and a lone escape as a space', () => {
    expect(decodeGsm0338(Buffer.of(0x1b, 0x41))).toBe('A');
    expect(decodeGsm0338(Buffer.of(0x41, 0x1b))).toBe('A ');
  });
});

describe('charsets', () => {
  it('says what the carrier’s default alphabet is, per channel', () => {
    expect(encodeText('é', 'gsm0338', 0)?.toString('hex')).toBe('05');
    expect(encodeText('é', 'latin1', 0)?.toString('hex')).toBe('e9');
    expect(encodeText('é', 'utf8', 0)?.toString('hex')).toBe('c3a9');
    expect(encodeText('é', 'ascii', 0)).toBeUndefined();
  });

  it.each([
    [0x00, '05', 'é'],
    [0x01, '41', 'A'],
    [0x03, 'e9', 'é'],
    [0x04, 'e9', 'é'],
    [0x08, '6c49', '汉'],
    [0x18, '6c49', '汉'],
    [0x10, '05', 'é'],
    [0xf0, '05', 'é'],
    [0xf5, 'e9', 'é'],
    [0xe0, '6c49', '汉'],
  ])('reads data coding %i', (dataCoding, hex, text) => {
    expect(decodeText(Buffer.from(hex, 'hex'), dataCoding, 'gsm0338', 0)).toBe(text);
  });

  it('reads any octets under any data coding', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.integer({ min: 0, max: 255 }), (bytes, dataCoding) => {
        expect(typeof decodeText(Buffer.from(bytes), dataCoding, 'gsm0338_packed', 6)).toBe('string');
      }),
    );
  });
});

describe('a part on the wire', () => {
  it('carries one part without a header', () => {
    expect(encode(createPart({ text: 'hi' }))).toEqual({
      esmClass: 0,
      dataCoding: 0,
      shortMessage: Buffer.from('hi'),
      tlvs: undefined,
    });
    const chinese = encode(createPart({ text: '汉', encoding: 'ucs2' }));
    expect(chinese).toMatchObject({ dataCoding: 8, shortMessage: encodeUcs2('汉') });
  });

  it('carries 153 septets and 67 characters behind the 8-bit header', () => {
    const septets = encode(createPart({ text: 'a'.repeat(153), part: 2, parts: 3 }));
    expect(septets.esmClass).toBe(0x40);
    expect(septets.shortMessage).toHaveLength(6 + 153);
    expect(septets.shortMessage.subarray(0, 3).toString('hex')).toBe('050003');
    expect([...septets.shortMessage.subarray(4, 6)]).toEqual([3, 2]);
    const packed = encode(createPart({ text: 'a'.repeat(153), part: 1, parts: 2 }), { charset: 'gsm0338_packed' });
    expect(packed.shortMessage).toHaveLength(140);
    const wide = encode(createPart({ text: '汉'.repeat(67), encoding: 'ucs2', part: 1, parts: 2 }));
    expect(wide.shortMessage).toHaveLength(140);
  });

  it('takes the 16-bit header only for a message whose parts all leave room for it', () => {
    const short = [1, 2].map((part) => createPart({ text: 'a'.repeat(152), part, parts: 2 }));
    const full = [1, 2].map((part) => createPart({ text: 'a'.repeat(152 + part - 1), part, parts: 2 }));
    for (const [parts, header] of [
      [short, '060804'],
      [full, '050003'],
    ] as const) {
      const references = createReferenceAllocator();
      const rules: EncodingRules = { ...RULES, long_message: 'udh16' };
      const headers = parts.map((part) => encodePart(part, parts, rules, references)?.shortMessage);
      expect(headers.map((message) => message?.subarray(0, 3).toString('hex'))).toEqual([header, header]);
      const inbound = headers.map((message) => readInbound(0x40, message ?? Buffer.alloc(0), {}).segment);
      expect(inbound[0]?.reference).toBe(inbound[1]?.reference);
    }
  });

  it('carries SAR parameters, or the message in message_payload', () => {
    const part = createPart({ text: 'hi', part: 2, parts: 3 });
    expect(encode(part, { long_message: 'sar' })).toMatchObject({
      esmClass: 0,
      shortMessage: Buffer.from('hi'),
      tlvs: { sar_total_segments: 3, sar_segment_seqnum: 2 },
    });
    const payload = encode(part, { long_message: 'payload' });
    expect(payload).toMatchObject({ esmClass: 0x40, shortMessage: Buffer.alloc(0) });
    expect(payload.tlvs?.message_payload).toHaveLength(8);
  });

  it.each(['udh8', 'udh16', 'sar', 'payload'] as const)('is understood inbound as it was written: %s', (method) => {
    const parts = [1, 2].map((part) => createPart({ text: `text ${part}`, part, parts: 2 }));
    const references = createReferenceAllocator();
    const read = parts.map((part) => {
      const encoded = encodePart(part, parts, { ...RULES, long_message: method }, references);
      if (encoded === undefined) throw new Error('the part cannot be encoded');
      return readInbound(encoded.esmClass, encoded.shortMessage, encoded.tlvs ?? {});
    });
    expect(read.map(({ octets }) => octets.toString())).toEqual(['text 1', 'text 2']);
    expect(read.map(({ segment }) => [segment?.part, segment?.parts])).toEqual([
      [1, 2],
      [2, 2],
    ]);
    expect(read[0]?.segment?.reference).toBe(read[1]?.segment?.reference);
  });

  it('falls back to UCS-2 for what the default alphabet lacks, where the part is short enough', () => {
    expect(encode(createPart({ text: '5 €' }), { charset: 'latin1' })).toMatchObject({ dataCoding: 8 });
    const long = createPart({ text: `${'a'.repeat(100)}€` });
    expect(encodePart(long, [long], { ...RULES, charset: 'latin1' }, createReferenceAllocator())).toBeUndefined();
  });

  it('leaves a header that makes no sense in the text', () => {
    expect(readInbound(0x40, Buffer.from('zzz'), {})).toMatchObject({ octets: Buffer.from('zzz'), segment: undefined });
    expect(readInbound(0x40, Buffer.alloc(0), {})).toMatchObject({ octets: Buffer.alloc(0) });
    expect(readInbound(0x40, Buffer.of(5, 0, 3, 1, 2, 9, 0x41), {}).segment).toBeUndefined();
  });
});

describe('concatenation references', () => {
  const narrow = () => false;

  it('are one per message and differ between messages of one pair', () => {
    const references = createReferenceAllocator();
    const seen = Array.from({ length: 100 }, (_, index) => {
      const [first, second] = [1, 2].map((part) =>
        references.referenceOf(createPart({ message: `m${index}`, part, parts: 2 }), narrow),
      );
      expect(first).toEqual(second);
      return (first?.value ?? 0) & 0xff;
    });
    expect(new Set(seen).size).toBe(100);
  });

  it('stay with a message whose last part goes again later, and survive a restart', () => {
    const references = createReferenceAllocator();
    const first = references.referenceOf(createPart({ message: 'a', part: 1, parts: 2 }), narrow);
    references.referenceOf(createPart({ message: 'b', part: 1, parts: 2 }), narrow);
    expect(references.referenceOf(createPart({ message: 'a', part: 2, parts: 2 }), narrow)).toEqual(first);
    expect(createReferenceAllocator().referenceOf(createPart({ message: 'a', part: 2, parts: 2 }), narrow)).toEqual(
      first,
    );
  });

  it('follow the order of the parts where the message has no name', () => {
    const references = createReferenceAllocator();
    const take = (part: number) => references.referenceOf(createPart({ part, parts: 2 }), narrow).value;
    const [a1, a2, b1, b2] = [take(1), take(2), take(1), take(2)];
    expect(a1).toBe(a2);
    expect(b1).toBe(b2);
    expect(a1).not.toBe(b1);
  });

  it('do not run out on one pair, and distinguish the last hundred messages', () => {
    const references = createReferenceAllocator();
    const bytes = Array.from({ length: 1_000 }, (_, index) => {
      const { value } = references.referenceOf(createPart({ message: `m${index}`, parts: 2 }), narrow);
      return value & 0xff;
    });
    for (let from = 0; from <= 900; from += 100) expect(new Set(bytes.slice(from, from + 100)).size).toBe(100);
  });
});

describe('addresses', () => {
  const rules = { destination_ton: 1, destination_npi: 1 };

  it.each([
    ['Postrider', { ton: 5, npi: 0, address: 'Postrider' }],
    ['10690', { ton: 3, npi: 0, address: '10690' }],
    ['+8613800138000', { ton: 1, npi: 1, address: '8613800138000' }],
    ['8613800138000', { ton: 1, npi: 1, address: '8613800138000' }],
  ])('derive type and plan of the sender %s', (from, expected) => {
    expect(deriveSource(from, rules)).toEqual(expected);
  });

  it('are overridden per channel', () => {
    expect(deriveSource('Postrider', { ...rules, source_address: '10690', source_ton: 0, source_npi: 9 })).toEqual({
      ton: 0,
      npi: 9,
      address: '10690',
    });
    expect(deriveDestination('8613800138000', { destination_ton: 2, destination_npi: 8 })).toMatchObject({
      ton: 2,
      npi: 8,
    });
  });

  it('that no field can hold are refused', () => {
    expect(deriveSource('x'.repeat(21), rules)).toBeUndefined();
    expect(deriveSource('汉字', rules)).toBeUndefined();
    expect(deriveDestination('', rules)).toBeUndefined();
  });

  it('of handsets are read with and without prefix', () => {
    expect(normaliseHandset('+8613800138000')).toBe('8613800138000');
    expect(normaliseHandset('008613800138000')).toBe('8613800138000');
    expect(normaliseHandset('Postrider')).toBeUndefined();
  });
});
