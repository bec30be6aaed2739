/** What a part of the service may ask of a log. The logger of the service fits, and so does any other of its kind. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
  /** A log whose every line says this as well. */
  child(fields: Readonly<Record<string, unknown>>): Log;
}

/** All that the ground floor needs: lines. Every log will do, also where there is only a terminal. */
export interface LineLog {
  info(message: string): void;
  warn(message: string): void;
}
