import { createFramer, type Framer } from '../session/framing.js';
import { HEADER_BYTES } from './codec.js';

/** Room for the largest message_payload of the specification and everything around it. */
export const MAX_FRAME_BYTES = 70_000;

export function createPduFramer(maxFrameBytes: number = MAX_FRAME_BYTES): Framer {
  return createFramer(HEADER_BYTES, maxFrameBytes);
}
