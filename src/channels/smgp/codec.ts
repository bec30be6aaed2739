// SMGP 3.0 on the wire.
import { createCodec, ONE_INTEGER } from '../china/codec.js';
import { COMMANDS } from './pdu.js';

export const { headerBytes: HEADER_BYTES, encodePdu, decodePdu } = createCodec(COMMANDS, ONE_INTEGER);
