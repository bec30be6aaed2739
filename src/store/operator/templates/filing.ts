import type { Owner } from '../../../domain/entities/customer.js';
import type { Filing, FilingTerms } from '../../../domain/entities/filing.js';
import type { AnySql } from '../../sql.js';
import { type ActorContext, changeConfiguration, recordAudit } from '../change.js';
import { readChannelId } from '../channel.js';
import { readServiceAccount } from '../service-account.js';

export type FilingOutcome =
  | { readonly kind: 'ok'; readonly filing: Filing }
  | { readonly kind: 'no_service_account' }
  | { readonly kind: 'no_channel' };

/** Says how it stands with the signature of a service account at a channel; said again, it replaces what was said before. */
export function setFiling(
  actorContext: ActorContext,
  { customerId, customer_no }: Owner,
  serviceAccountNo: string,
  terms: FilingTerms,
): Promise<FilingOutcome> {
  return changeConfiguration(actorContext, async ({ tx, version }): Promise<FilingOutcome> => {
    const account = await readServiceAccount(tx, customerId, serviceAccountNo);
    if (account === undefined) return { kind: 'no_service_account' };
    const channelId = await readChannelId(tx, terms.channel_no);
    if (channelId === undefined) return { kind: 'no_channel' };
    const { service_account_id, signature } = account;
    await tx`
      insert into filing (service_account_id, channel_id, status, reason, signature, version)
      values (${service_account_id}, ${channelId}, ${terms.status}, ${terms.reason}, ${signature}, ${version})
      on conflict (service_account_id, channel_id) do update set status = excluded.status, reason = excluded.reason,
        signature = excluded.signature, version = excluded.version, updated_at = excluded.created_at`;
    const change = { service_account_no: serviceAccountNo, signature, ...terms };
    await recordAudit(tx, actorContext.actor, { action: 'filing.set', subject: customer_no, change });
    const filing = (await readFilings(tx, service_account_id)).find(
      ({ channel_no }) => channel_no === terms.channel_no,
    );
    if (filing === undefined) throw new Error('the filing was not stored');
    return { kind: 'ok', filing };
  });
}

export async function readFilings(sql: AnySql, serviceAccountId: bigint): Promise<readonly Filing[]> {
  return sql<Filing[]>`
    select c.channel_no, f.status, f.reason, f.signature, f.created_at, f.updated_at
    from filing f join channel c on c.channel_id = f.channel_id
    where f.service_account_id = ${serviceAccountId} order by c.channel_no`;
}
