// `Msg_Id`: 64 bits, written as 16 hexadecimal digits because no JavaScript number holds them.

/** From the top: month 4 bits, day 5, hour 5, minute 6, second 6, gateway 22, sequence 16. */
export function formatMessageId(loginTime: string, gateway: number, sequence: number): string {
  const [month = 0n, day = 0n, hour = 0n, minute = 0n, second = 0n] = (loginTime.match(/\d\d/g) ?? []).map(BigInt);
  const time = (((((((month << 5n) | day) << 5n) | hour) << 6n) | minute) << 6n) | second;
  const id = (time << 38n) | (BigInt(gateway & 0x3fffff) << 16n) | BigInt(sequence & 0xffff);
  return id.toString(16).padStart(16, '0');
}
