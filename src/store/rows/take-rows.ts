/**
 * The rows of a large result, in an array that dies with them. The driver gives every query functions that V8 makes old at birth,
 * as it does with any function written right where it is assigned to a property. What an old object refers to is kept, needed or not,
 * until the old part of the heap is collected: so a result that stays with its query outlives its use, and the heap grows to four
 * times of what is alive. It matters where one large result follows another.
 */
export async function takeRows<Row>(query: PromiseLike<Row[]>): Promise<Row[]> {
  const result = await query;
  return result.splice(0);
}
