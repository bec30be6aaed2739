// SGIP 1.2 on the wire.
import { createCodec, type SequenceFormat } from '../china/codec.js';
import { readUint4, writeUint4 } from '../china/fields.js';
import { COMMANDS } from './pdu.js';
import type { SgipSequence } from './sequence.js';

const THREE_INTEGERS: SequenceFormat<SgipSequence> = {
  octets: 12,
  write(target, at, { node, time, counter }) {
    writeUint4(target, at, node);
    writeUint4(target, at + 4, time);
    writeUint4(target, at + 8, counter);
  },
  read: (frame, at) => ({
    node: readUint4(frame, at),
    time: readUint4(frame, at + 4),
    counter: readUint4(frame, at + 8),
  }),
};

export const { headerBytes: HEADER_BYTES, encodePdu, decodePdu } = createCodec(COMMANDS, THREE_INTEGERS);
