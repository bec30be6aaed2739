import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinHeader, splitHeader } from '../../../src/channels/china/long-text.js';
import { decodeText, decodeTexts, encodeText, encodeUcs2, FORMAT } from '../../../src/channels/china/text-format.js';

const hex = (digits: string) => Buffer.from(digits.replaceAll(' ', ''), 'hex');

describe('a text', () => {
  it('goes as ASCII where every character is, and keeps the octets of ASCII', () => {
    expect(encodeText('A@$_{')).toEqual({ format: FORMAT.ascii, octets: hex('41 40 24 5f 7b') });
  });

  it('goes as UCS-2 where one is not, big-endian and without a mark', () => {
    expect(encodeText('é1')).toEqual({ format: FORMAT.ucs2, octets: hex('00e9 0031') });
    expect(encodeText('😀').octets).toEqual(hex('d83d de00'));
  });

  it('says by its format that it is a flash text', () => {
    expect(encodeText('now', true).format).toBe(FORMAT.flashAscii);
    expect(encodeText('现在', true).format).toBe(FORMAT.flashUcs2);
  });

  it('is read back as it was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (text, isFlash) => {
        const { format, octets } = encodeText(text, isFlash);
        expect(decodeText(octets, format)).toBe(text);
      }),
    );
  });

  it.each([
    [0, '52454744', 'REGD', 'ASCII'],
    [0, 'cdcbb6a9', '退订', 'GBK under the number of ASCII'],
    [15, 'cdcbb6a9', '退订', 'GBK'],
    [15, '8139ee39', '㐀', 'GB18030 of four octets'],
    [8, '90008ba2', '退订', 'UCS-2'],
    [8, '90008b', '退', 'UCS-2 cut in the middle'],
    [16, '4f4b', 'OK', 'flash ASCII'],
    [24, '90008ba2', '退订', 'flash UCS-2'],
    [25, '90008ba2', '退订', 'UCS-2 of class 1'],
    [3, '0102ff', '0102ff', 'for the SIM card'],
    [4, '0102ff', '0102ff', 'binary'],
    [0xf5, '0102ff', '0102ff', 'binary of class 1'],
    [246, '0102ff', '0102ff', 'for the SIM card, in SMGP'],
    [0xf1, '4f4b', 'OK', 'ASCII of class 1'],
    [0xe0, '90008ba2', '退订', 'UCS-2 with a message waiting'],
  ])('of format %i, %s, is read as %s: %s', (format, octets, text) => {
    expect(decodeText(hex(octets), format)).toBe(text);
  });

  it('never fails to be read', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 160 }), fc.integer({ min: 0, max: 255 }), (octets, format) => {
        expect(decodeText(Buffer.from(octets), format).length).toBeLessThanOrEqual(octets.length * 2);
      }),
    );
  });

  it('of several parts is joined before it is read where neighbours have one alphabet', () => {
    const smile = encodeUcs2('😀').octets;
    const parts = [
      { format: 8, octets: smile.subarray(0, 2) },
      { format: 24, octets: smile.subarray(2) },
      { format: 0, octets: Buffer.from('ok') },
      { format: 15, octets: hex('cdcb b6') },
      { format: 15, octets: hex('a9') },
    ];
    expect(decodeTexts(parts)).toBe('😀ok退订');
  });
});

describe('the header of a part', () => {
  const text = hex('597d');

  it('is written with a reference of eight bits and read back', () => {
    const content = joinHeader({ reference: 0x2a, part: 2, parts: 3 }, text);
    expect(content).toEqual(hex('05 00 03 2a 03 02 597d'));
    expect(splitHeader(1, content)).toEqual({ octets: text, segment: { reference: 0x2a, part: 2, parts: 3 } });
  });

  it('is looked for where TP_udhi has bit 0 or the bit of SMPP', () => {
    const content = hex('05 00 03 2a 02 01 597d');
    expect(splitHeader(0x40, content).segment).toBeDefined();
    expect(splitHeader(0x41, content).segment).toBeDefined();
    expect(splitHeader(0, content)).toEqual({ octets: content, segment: undefined });
    expect(splitHeader(0x02, content)).toEqual({ octets: content, segment: undefined });
  });

  it('is read with 16 bits, kept apart from a narrow reference of the same number', () => {
    const wide = splitHeader(1, hex('06 08 04 00 2a 02 01 597d'));
    expect(wide).toEqual({ octets: text, segment: { reference: 0x1002a, part: 1, parts: 2 } });
  });

  it('may have other elements before the reference, such as ports', () => {
    const ported = hex('0b 05 04 15 81 00 00 00 03 2a 02 01 597d');
    expect(splitHeader(1, ported)).toEqual({ octets: text, segment: { reference: 0x2a, part: 1, parts: 2 } });
    expect(splitHeader(1, hex('06 05 04 15 81 00 00 597d'))).toEqual({ octets: text, segment: undefined });
  });

  it('of one part, or of a part that cannot be, leaves a whole message', () => {
    for (const header of ['05 00 03 2a 01 01', '05 00 03 2a 02 00', '05 00 03 2a 02 03']) {
      expect(splitHeader(1, hex(`${header} 597d`))).toEqual({ octets: text, segment: undefined });
    }
  });

  it('that does not parse is text', () => {
    for (const content of ['', '00', '0041', '30 00 03 2a 02 01', '05 00 09 2a 02 01 597d', '04 00 03 2a 02 01 597d']) {
      expect(splitHeader(1, hex(content))).toEqual({ octets: hex(content), segment: undefined });
    }
  });
});
