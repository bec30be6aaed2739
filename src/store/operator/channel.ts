import type { JSONValue } from 'postgres';
import type { AnySql, Sql } from '../connect.js';
import { channelContext, type Sealer } from '../seal.js';
import { changeConfiguration, describeChange, mergePatch, recordAudit } from './change.js';

export type ChannelKind = 'simulator' | 'smpp';
export type ConfigObject = Readonly<Record<string, unknown>>;

export interface ChannelTerms {
  readonly name: string;
  readonly firms: readonly string[];
  readonly status: 'active' | 'disabled';
  readonly parts_per_second: number | null;
  /** Without its secret fields. */
  readonly config: ConfigObject;
}

export interface Channel extends ChannelTerms {
  readonly channel_no: string;
  readonly kind: ChannelKind;
  readonly health: ChannelHealthShown;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface ChannelHealthShown {
  readonly state: 'up' | 'degraded' | 'down';
  readonly sessions: number;
  readonly detail: string | null;
  /** The process that speaks for the channel; null when none does. */
  readonly owner: string | null;
  readonly since: string | null;
}

/** Secret fields of the configuration; an empty object when it has none. Sealed as one value. */
export interface ChannelSecret {
  readonly secret: ConfigObject;
}

export interface ChannelPatch extends Partial<ChannelTerms> {
  /** Goes with `config`: the secret fields of the new configuration. */
  readonly secret?: ConfigObject;
}

export function createChannel(
  sql: Sql,
  sealer: Sealer,
  channelNo: string,
  terms: ChannelTerms & ChannelSecret & { readonly kind: ChannelKind },
): Promise<Channel> {
  return changeConfiguration(sql, async ({ tx, version }) => {
    const { secret, ...shown } = terms;
    await tx`
      insert into channel (channel_no, name, kind, firms, status, parts_per_second, config, secret_sealed, version)
      values (${channelNo}, ${terms.name}, ${terms.kind}, ${[...terms.firms]}, ${terms.status}, ${terms.parts_per_second},
        ${tx.json(terms.config as JSONValue)}, ${sealSecret(sealer, channelNo, secret)}, ${version})`;
    await recordAudit(tx, { action: 'channel.create', subject: channelNo, change: shown });
    return mustRead(tx, channelNo);
  });
}

/** Undefined when there is no such channel. */
export function changeChannel(
  sql: Sql,
  sealer: Sealer,
  channelNo: string,
  patch: ChannelPatch,
): Promise<Channel | undefined> {
  return changeConfiguration(sql, async ({ tx, version }) => {
    const current = await readChannel(tx, channelNo);
    if (current === undefined) return undefined;
    const { secret, ...rest } = patch;
    const before = termsOf(current);
    const next = mergePatch<ChannelTerms>(before, rest);
    const secretChanged = secret !== undefined && (await secretDiffers(tx, sealer, channelNo, secret));
    const change = { ...describeChange(before, next), ...(secretChanged ? { secret: 'changed' } : {}) };
    if (Object.keys(change).length === 0) return current;
    await tx`
      update channel set name = ${next.name}, firms = ${[...next.firms]}, status = ${next.status},
        parts_per_second = ${next.parts_per_second}, config = ${tx.json(next.config as JSONValue)},
        version = ${version}, updated_at = now()
      where channel_no = ${channelNo}`;
    if (secretChanged) {
      await tx`
        update channel set secret_sealed = ${sealSecret(sealer, channelNo, secret)} where channel_no = ${channelNo}`;
    }
    await recordAudit(tx, { action: 'channel.change', subject: channelNo, change });
    return mustRead(tx, channelNo);
  });
}

export async function readChannel(sql: AnySql, channelNo: string): Promise<Channel | undefined> {
  const [row] = await sql<ChannelRow[]>`${selectChannel(sql)} where channel.channel_no = ${channelNo}`;
  return row === undefined ? undefined : toChannel(row);
}

/** All of them, newest first: channels are tens, not thousands. */
export async function readChannels(sql: Sql): Promise<readonly Channel[]> {
  const rows = await sql<ChannelRow[]>`${selectChannel(sql)} order by channel.channel_id desc`;
  return rows.map(toChannel);
}

/** What the stored configuration keeps hidden, for checking a change that leaves the secret as it was. */
export async function openChannelSecret(sql: AnySql, sealer: Sealer, channelNo: string): Promise<ConfigObject> {
  const [row] = await sql<{ secret_sealed: Uint8Array | null }[]>`
    select secret_sealed from channel where channel_no = ${channelNo}`;
  if (row === undefined || row.secret_sealed === null) return {};
  return JSON.parse(sealer.open(row.secret_sealed, channelContext(channelNo)).toString('utf8')) as ConfigObject;
}

interface ChannelRow extends ChannelTerms {
  readonly channel_no: string;
  readonly kind: ChannelKind;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly owner: string | null;
  readonly health: { state?: 'up' | 'degraded' | 'down'; sessions?: number; detail?: string; since?: string } | null;
}

/** An expired lease speaks for nobody: the process may be gone, so its last word on the health is left out. */
function selectChannel(sql: AnySql) {
  return sql`
    select channel_no, name, kind, firms, status, parts_per_second, config, created_at, updated_at, owner, health
    from channel
    left join channel_lease on channel_lease.channel_id = channel.channel_id and channel_lease.expires_at > now()`;
}

function toChannel({ owner, health, ...row }: ChannelRow): Channel {
  const live = owner === null ? null : health;
  return {
    ...row,
    health: {
      state: live?.state ?? 'down',
      sessions: live?.sessions ?? 0,
      detail: live?.detail ?? (owner === null ? 'no process speaks for this channel' : null),
      owner,
      since: live?.since ?? null,
    },
  };
}

function termsOf({ name, firms, status, parts_per_second, config }: Channel): ChannelTerms {
  return { name, firms, status, parts_per_second, config };
}

async function mustRead(tx: AnySql, channelNo: string): Promise<Channel> {
  const channel = await readChannel(tx, channelNo);
  if (channel === undefined) throw new Error(`channel ${channelNo} is gone in the transaction that wrote it`);
  return channel;
}

async function secretDiffers(tx: AnySql, sealer: Sealer, channelNo: string, secret: ConfigObject): Promise<boolean> {
  return describeChange(await openChannelSecret(tx, sealer, channelNo), secret) !== undefined;
}

function sealSecret(sealer: Sealer, channelNo: string, secret: ConfigObject): Buffer | null {
  return Object.keys(secret).length === 0 ? null : sealer.seal(JSON.stringify(secret), channelContext(channelNo));
}
