/** English, then Simplified Chinese. `{name}` is filled in; `{count:number|numbers}` chooses by a count. */
export type WordTable = Readonly<Record<string, readonly [english: string, chinese: string]>>;
