import { type Channel, ChannelFields, type ChannelTerms, type ConfigObject } from '../../domain/entities/channel.js';
import { pickFields } from '../../domain/entities/fields.js';
import { columnsOf, insertOf, updateOf } from '../rows/entity-row.js';
import { channelContext, type Sealer } from '../secrets/seal.js';
import type { AnySql } from '../sql.js';
import { type ActorContext, changeConfiguration, describeChange, mergePatch, recordAudit } from './change.js';

/** The configuration in two parts: the secret fields are sealed as one value, and none of them is in `config`. */
export interface SplitConfig {
  readonly config: ConfigObject;
  readonly secret: ConfigObject;
}

/** Throws where a channel must not stand beside the others: then nothing is written. */
export type AdmitChannel = (channel: Channel, others: readonly Channel[]) => void;

export function createChannel(
  actorContext: ActorContext,
  sealer: Sealer,
  channelNo: string,
  { secret, ...terms }: ChannelTerms & SplitConfig,
  /** For kinds that have callbacks. */
  callbackToken: string | null = null,
  admit?: AdmitChannel,
): Promise<Channel> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const others = {
      channel_no: channelNo,
      secret_sealed: sealSecret(sealer, channelNo, secret),
      version,
      callback_token: callbackToken,
    };
    await tx`insert into channel ${insertOf(tx, ChannelFields, terms, others)}`;
    await recordAudit(tx, actorContext.actor, { action: 'channel.create', subject: channelNo, change: terms });
    return readAdmitted(tx, channelNo, admit);
  });
}

/**
 * What to change is decided by `revise`, from what is stored at that moment: two changes at once of different fields of one
 * configuration both last. Undefined when there is no such channel.
 */
export function changeChannel(
  actorContext: ActorContext,
  sealer: Sealer,
  channelNo: string,
  revise: (current: Channel, secret: ConfigObject) => Partial<ChannelTerms> & Partial<SplitConfig>,
  admit?: AdmitChannel,
): Promise<Channel | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const current = await readChannel(tx, channelNo);
    if (current === undefined) return undefined;
    const sealed = await openSecret(tx, sealer, channelNo);
    const { secret = sealed, ...patch } = revise(current, sealed);
    const before = pickFields(ChannelFields, current);
    const next = mergePatch(before, patch);
    const hasNewSecret = describeChange(sealed, secret) !== undefined;
    const change = { ...describeChange(before, next), ...(hasNewSecret ? { secret: 'changed' } : {}) };
    if (Object.keys(change).length === 0) return current;
    await tx`
      update channel set ${updateOf(tx, ChannelFields, next)}, secret_sealed = ${sealSecret(sealer, channelNo, secret)},
        version = ${version}, updated_at = now()
      where channel_no = ${channelNo}`;
    await recordAudit(tx, actorContext.actor, { action: 'channel.change', subject: channelNo, change });
    return readAdmitted(tx, channelNo, admit);
  });
}

/**
 * A new callback token; the one before works until the time given, the one before that no longer. Undefined when there is no such
 * channel, or its kind has no callbacks.
 */
export function rotateCallbackToken(
  actorContext: ActorContext,
  channelNo: string,
  token: string,
  oldUntil: Date,
): Promise<Channel | undefined> {
  return changeConfiguration(actorContext, async ({ tx, version }) => {
    const rotated = await tx`
      update channel set old_callback_token = callback_token, old_callback_token_until = ${oldUntil},
        callback_token = ${token}, version = ${version}, updated_at = now()
      where channel_no = ${channelNo} and callback_token is not null returning channel_no`;
    if (rotated.length === 0) return undefined;
    await recordAudit(tx, actorContext.actor, {
      action: 'channel.rotate_callback_token',
      subject: channelNo,
      change: { old_until: oldUntil },
    });
    return mustRead(tx, channelNo);
  });
}

export async function readChannel(sql: AnySql, channelNo: string): Promise<Channel | undefined> {
  const [row] = await sql<ChannelRow[]>`${selectChannel(sql)} where channel.channel_no = ${channelNo}`;
  return row === undefined ? undefined : toChannel(row);
}

export async function readChannelId(sql: AnySql, channelNo: string): Promise<bigint | undefined> {
  const [row] = await sql<{ channel_id: bigint }[]>`select channel_id from channel where channel_no = ${channelNo}`;
  return row?.channel_id;
}

export async function findUnknownChannels(sql: AnySql, channelNos: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await sql<{ channel_no: string }[]>`
    select channel_no from channel where channel_no = any(${[...channelNos]}::text[])`;
  const unknown = new Set(channelNos);
  for (const { channel_no } of rows) unknown.delete(channel_no);
  return unknown;
}

/** All of them, newest first: channels are tens, not thousands. */
export async function readChannels(sql: AnySql): Promise<readonly Channel[]> {
  const rows = await sql<ChannelRow[]>`${selectChannel(sql)} order by channel.channel_id desc`;
  return rows.map(toChannel);
}

async function openSecret(sql: AnySql, sealer: Sealer, channelNo: string): Promise<ConfigObject> {
  const [row] = await sql<{ secret_sealed: Uint8Array | null }[]>`
    select secret_sealed from channel where channel_no = ${channelNo}`;
  if (row === undefined || row.secret_sealed === null) return {};
  return JSON.parse(sealer.open(row.secret_sealed, channelContext(channelNo)).toString('utf8')) as ConfigObject;
}

interface ChannelRow extends ChannelTerms {
  readonly channel_no: string;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly callback_token: string | null;
  readonly old_callback_token_until: Date | null;
  readonly owner: string | null;
  readonly health: { state?: 'up' | 'degraded' | 'down'; sessions?: number; detail?: string; since?: string } | null;
}

/** The owner of an expired lease may have ended, so its last health is omitted. */
function selectChannel(sql: AnySql) {
  return sql`
    select channel_no, ${columnsOf(sql, 'channel', ChannelFields)}, created_at, updated_at, callback_token, old_callback_token_until,
      owner, health
    from channel
    left join channel_heartbeat beat on beat.channel_id = channel.channel_id and beat.expires_at > now()
    left join channel_fence fence on fence.channel_id = beat.channel_id and fence.token = beat.token`;
}

function sayUnowned(status: ChannelRow['status']): string {
  return status === 'disabled' ? 'the channel is disabled' : 'no process runs this channel';
}

function toChannel({ owner, health, callback_token: token, old_callback_token_until, ...row }: ChannelRow): Channel {
  const live = owner === null ? null : health;
  const pathOf = (kind: 'reports' | 'uplinks') =>
    row.config[kind] === undefined ? null : `/upstream/${row.channel_no}/${token}/${kind}`;
  return {
    ...row,
    callbacks:
      token === null
        ? null
        : { reports: pathOf('reports'), uplinks: pathOf('uplinks'), old_until: old_callback_token_until },
    health: {
      state: live?.state ?? 'down',
      sessions: live?.sessions ?? 0,
      detail: live?.detail ?? (owner === null ? sayUnowned(row.status) : null),
      owner,
      since: live?.since ?? null,
    },
  };
}

/** Under the lock of the configuration: of two channels that exclude each other, the later one sees the earlier. */
async function readAdmitted(tx: AnySql, channelNo: string, admit: AdmitChannel | undefined): Promise<Channel> {
  const channel = await mustRead(tx, channelNo);
  if (admit === undefined) return channel;
  const channels = await readChannels(tx);
  admit(
    channel,
    channels.filter((other) => other.channel_no !== channelNo),
  );
  return channel;
}

async function mustRead(tx: AnySql, channelNo: string): Promise<Channel> {
  const channel = await readChannel(tx, channelNo);
  if (channel === undefined) throw new Error(`channel ${channelNo} is gone in the transaction that wrote it`);
  return channel;
}

function sealSecret(sealer: Sealer, channelNo: string, secret: ConfigObject): Buffer | null {
  return Object.keys(secret).length === 0 ? null : sealer.seal(JSON.stringify(secret), channelContext(channelNo));
}
