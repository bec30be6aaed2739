/** A decimal with six fraction digits, such as `"0.150000"`. Never a float: add these up with a decimal or BigInt. */
export type Decimal = string;
/** RFC 3339 in UTC with milliseconds. */
export type Timestamp = string;
