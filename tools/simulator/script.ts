// A script: the setup of a world and the steps that it went through. Names are chosen when a step is written down, so that a step means
// the same when others before it are left out. A step that does not apply is skipped.

export interface CustomerSetup {
  readonly chargeOn: 'submit' | 'delivery';
  readonly refundOnFailure: boolean;
  /** In prices of a part. */
  readonly balance: number;
  readonly credit: number;
  /** The most that it may freeze in a UTC day. */
  readonly dailyLimit?: number;
}

export interface ChannelSetup {
  /** A text is one submission, however many parts it has. */
  readonly isWhole: boolean;
  /** Its reports name our reference. */
  readonly hasReference: boolean;
  /** How its reports name the handset: by default in full. */
  readonly phones?: 'national' | 'none';
  /** Its message ids: used again for other handsets, or spelled otherwise in reports than in answers. */
  readonly ids?: 'repeated' | 'respelled';
}

/** Customers, channels and processes are numbered from 1 in their order. */
export interface Setup {
  readonly customers: readonly CustomerSetup[];
  readonly channels: readonly ChannelSetup[];
  readonly processes: number;
  /** Grants that are revoked when the faults stop stay so: what waits there ends all the same. */
  readonly keepsRevoked?: true;
  /** Tasks that are paused then stay so: what is sent of them ends all the same. */
  readonly keepsPaused?: true;
}

export type NumberKind = 1 | 2 | 3 | 'invalid' | 'duplicate' | 'opted_out';
export type CommitOutcome = 'done' | 'answer_lost' | 'rolled_back';
export type Outcome = 'accepted' | 'refused' | 'declined' | 'throttled' | 'retried' | 'lost_taken' | 'lost';
export type ReportStatus = 'delivered' | 'undelivered' | 'expired' | 'rejected' | 'intermediate';
export type MoveName = 'prepare' | 'freeze' | 'submit' | 'cancel' | 'pause' | 'resume';

/** A part, as `task.seq.part`. */
export type PartText = string;

export type Step =
  // Customers and operators.
  | {
      readonly do: 'send';
      readonly customer: number;
      readonly task: number;
      /** The parts of each number, or why it is rejected. */
      readonly numbers: readonly NumberKind[];
      /** How far it goes by itself. */
      readonly until: 'queued' | 'prepared' | 'frozen' | 'submitted';
      readonly sendInMs?: number;
      readonly expiresInMs?: number;
    }
  | { readonly do: 'move'; readonly task: number; readonly move: MoveName }
  | { readonly do: 'reschedule'; readonly task: number; readonly inMs: number }
  | {
      readonly do: 'resolve';
      readonly task: number;
      readonly outcome: 'accepted' | 'not_accepted';
      readonly seq?: number;
    }
  | { readonly do: 'top_up' | 'adjust'; readonly customer: number; readonly parts: number }
  | { readonly do: 'limit_day'; readonly customer: number; readonly parts: number | null }
  | {
      readonly do: 'bill';
      readonly customer: number;
      readonly chargeOn: CustomerSetup['chargeOn'];
      readonly refundOnFailure: boolean;
    }
  | { readonly do: 'opt_out'; readonly task: number; readonly seq: number }
  | { readonly do: 'grant' | 'revoke' | 'file' | 'unfile'; readonly customer: number; readonly channel: number }
  | { readonly do: 'channel_down' | 'channel_up'; readonly channel: number }
  // Processes.
  | { readonly do: 'start'; readonly process: number }
  | { readonly do: 'crash'; readonly process: number }
  | { readonly do: 'own'; readonly process: number; readonly channel: number }
  | { readonly do: 'close'; readonly process: number; readonly channel: number }
  | { readonly do: 'load' | 'reload' | 'forget'; readonly process: number; readonly channel: number }
  | { readonly do: 'intend'; readonly process: number; readonly channel: number; readonly count: number }
  | {
      readonly do: 'commit';
      readonly process: number;
      /** How many waiting calls share the transaction. */
      readonly calls: number;
      readonly outcome: CommitOutcome;
    }
  | { readonly do: 'wire' | 'unsend'; readonly process: number; readonly channel: number; readonly count: number }
  | { readonly do: 'reroute'; readonly process: number; readonly channel: number }
  | { readonly do: 'leave'; readonly process: number; readonly customer: number }
  | { readonly do: 'finish'; readonly process: number; readonly outcome: CommitOutcome }
  | { readonly do: 'rematch'; readonly process: number; readonly channel: number }
  | {
      readonly do: 'sweep';
      readonly process: number;
      readonly what: 'prepare' | 'start' | 'end' | 'refreeze' | 'unknown' | 'receipts' | 'stranded';
    }
  // Carriers.
  | { readonly do: 'answer'; readonly part: PartText; readonly outcome: Outcome }
  | { readonly do: 'late_answer'; readonly part: PartText; readonly outcome: 'accepted' | 'refused' }
  | { readonly do: 'report'; readonly part: PartText; readonly channel: number; readonly status: ReportStatus }
  | { readonly do: 'wait'; readonly ms: number };

export type StepName = Step['do'];

export interface Script {
  readonly setup: Setup;
  readonly steps: readonly Step[];
}

export function formatScript({ setup, steps }: Script, about: Readonly<Record<string, unknown>> = {}): string {
  const lines = steps.map((step) => `    ${JSON.stringify(step)}`);
  const rest = Object.entries(about).map(([name, value]) => `  ${JSON.stringify(name)}: ${JSON.stringify(value)},\n`);
  return `{\n${rest.join('')}  "setup": ${JSON.stringify(setup)},\n  "steps": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

export function parseScript(text: string): Script {
  const { setup, steps } = JSON.parse(text);
  if (!Array.isArray(steps) || setup === undefined) throw new Error('a script has a setup and steps');
  return { setup, steps };
}
