/** All that the ground floor needs of a log: lines. Every logger will do, also before there is one. */
export interface LineLog {
  info(message: string): void;
  warn(message: string): void;
}
