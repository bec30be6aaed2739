// Cuts the octet stream into frames that begin with their length in four octets. The length of a frame is checked before anything is allocated for it, and no more
// than one unfinished frame is ever held.

export interface Framer {
  /** Calls `onFrame` for each frame that is now complete; false when the stream cannot be followed any further. */
  push(chunk: Buffer, onFrame: (frame: Buffer) => void): boolean;
  /** Octets of an unfinished frame. */
  readonly pendingBytes: number;
}

export function createFramer(headerBytes: number, maxFrameBytes: number): Framer {
  const lengthBytes = Buffer.alloc(4);
  let lengthFilled = 0;
  let frame: Buffer | undefined;
  let frameFilled = 0;
  let broken = false;

  function isSane(length: number): boolean {
    return length >= headerBytes && length <= maxFrameBytes;
  }

  /** Takes octets for the frame that an earlier chunk began; returns where the rest of the chunk starts. */
  function continueFrame(chunk: Buffer, onFrame: (frame: Buffer) => void): number {
    let at = 0;
    if (frame === undefined) {
      while (lengthFilled < 4 && at < chunk.length) {
        lengthBytes[lengthFilled] = chunk[at] as number;
        lengthFilled += 1;
        at += 1;
      }
      if (lengthFilled < 4) return at;
      const length = lengthBytes.readUInt32BE(0);
      if (!isSane(length)) {
        broken = true;
        return at;
      }
      frame = Buffer.allocUnsafe(length);
      frame.set(lengthBytes, 0);
      frameFilled = 4;
    }
    const taken = Math.min(frame.length - frameFilled, chunk.length - at);
    frame.set(chunk.subarray(at, at + taken), frameFilled);
    frameFilled += taken;
    if (frameFilled === frame.length) {
      const complete = frame;
      frame = undefined;
      lengthFilled = 0;
      frameFilled = 0;
      onFrame(complete);
    }
    return at + taken;
  }

  return {
    get pendingBytes() {
      return frame === undefined ? lengthFilled : frameFilled;
    },
    push(chunk, onFrame) {
      let at = lengthFilled > 0 ? continueFrame(chunk, onFrame) : 0;
      while (!broken && at + 4 <= chunk.length) {
        const length = chunk.readUInt32BE(at);
        if (!isSane(length)) {
          broken = true;
        } else if (at + length <= chunk.length) {
          onFrame(chunk.subarray(at, at + length));
          at += length;
        } else {
          break;
        }
      }
      if (!broken && at < chunk.length) continueFrame(chunk.subarray(at), onFrame);
      return !broken;
    },
  };
}
