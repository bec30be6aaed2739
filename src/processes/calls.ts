// Calls between the primary process and its workers over the IPC channel. Each call has a number, and its answer repeats it.

/** What one side answers: a function for each name. It may answer later. */
export type CallTable = Readonly<Record<string, (...args: never[]) => unknown>>;

export interface Port {
  send(message: object): void;
  listen(listener: (message: unknown) => void): void;
}

export interface Calls<Remote extends CallTable> {
  call<Name extends keyof Remote & string>(
    name: Name,
    ...args: Parameters<Remote[Name]>
  ): Promise<Awaited<ReturnType<Remote[Name]>>>;
  /** The other side is gone: open and later calls are rejected. */
  end(): void;
}

interface CallMessage {
  readonly call: number;
  readonly name: string;
  readonly args: readonly unknown[];
}

interface AnswerMessage {
  readonly answer: number;
  readonly value?: unknown;
  readonly error?: string;
}

interface OpenCall {
  resolve(value: never): void;
  reject(error: Error): void;
}

export function createCalls<Remote extends CallTable>(port: Port, own: CallTable): Calls<Remote> {
  const open = new Map<number, OpenCall>();
  let lastCall = 0;
  let isEnded = false;

  const answer = async ({ call, name, args }: CallMessage): Promise<void> => {
    try {
      const run = own[name] as ((...args: readonly unknown[]) => unknown) | undefined;
      if (run === undefined) throw new Error(`there is no call ${name}`);
      port.send({ answer: call, value: await run(...args) } satisfies AnswerMessage);
    } catch (error) {
      port.send({
        answer: call,
        error: error instanceof Error ? error.message : String(error),
      } satisfies AnswerMessage);
    }
  };
  const settle = ({ answer: number, value, error }: AnswerMessage): void => {
    const waiting = open.get(number);
    open.delete(number);
    if (error === undefined) waiting?.resolve(value as never);
    else waiting?.reject(new Error(error));
  };
  port.listen((message) => {
    if (isCall(message)) void answer(message);
    else if (isAnswer(message)) settle(message);
  });

  return {
    call: (name, ...args) =>
      new Promise((resolve, reject) => {
        if (isEnded) return reject(new Error('the other process is gone'));
        lastCall += 1;
        open.set(lastCall, { resolve, reject });
        port.send({ call: lastCall, name, args } satisfies CallMessage);
      }),
    end() {
      isEnded = true;
      for (const { reject } of open.values()) reject(new Error('the other process is gone'));
      open.clear();
    },
  };
}

function isCall(message: unknown): message is CallMessage {
  return typeof message === 'object' && message !== null && 'call' in message;
}

function isAnswer(message: unknown): message is AnswerMessage {
  return typeof message === 'object' && message !== null && 'answer' in message;
}
