// The same done to many, one after the other: the others stand where one fails.

import { PostriderError } from '@postrider/client';

export interface Failed<Item> {
  readonly item: Item;
  readonly error: unknown;
}

/** What is no longer in the stage for it was done, or ended, meanwhile: that is no failure. */
function isOver(error: unknown): boolean {
  return error instanceof PostriderError && error.code === 'invalid_stage';
}

export async function runEach<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
  onDone: (done: number) => void,
): Promise<readonly Failed<Item>[]> {
  const failed: Failed<Item>[] = [];
  for (const [index, item] of items.entries()) {
    try {
      await act(item);
    } catch (error) {
      if (!isOver(error)) failed.push({ item, error });
    }
    onDone(index + 1);
  }
  return failed;
}
