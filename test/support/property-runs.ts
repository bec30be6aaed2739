const isFull = process.env.POSTRIDER_TEST_LENGTH === 'full';

/** How often a property is tried, or how much it is fed: a fifth in `npm test`, and all in `npm run test:long`. */
export function scaleRuns(full: number): number {
  return isFull ? full : Math.ceil(full / 5);
}
