// Thousands of customers with one message each: every batch of the recorder is of many accounts, and no two messages share one.
// They are written as rows, because creating them by the API would take longer than the campaign.

import { randomBytes } from 'node:crypto';
import { asCustomerId } from '../../../src/domain/id.js';
import { loadSecrets } from '../../../src/service/secrets.js';
import { changeConfiguration } from '../../../src/store/operator/change.js';
import { createKeyPair } from '../../../src/store/operator/credential.js';
import { createSealer, credentialContext } from '../../../src/store/secrets/seal.js';
import type { Sql } from '../../../src/store/sql.js';
import { quiet } from '../../support/quiet.js';
import { OPERATOR_TOKEN, SECRET_KEY } from '../../support/spawned.js';

export interface CrowdCustomer {
  readonly name: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly templateNo: string;
}

export const CROWD = 2000;
export const CROWD_PREFIX = '199';

export function isOfCrowd(phone: string): boolean {
  return phone.slice(-11).startsWith(CROWD_PREFIX);
}

/** Postpaid, so that they need no top-ups. They may use every channel. */
export async function createCrowd(sql: Sql): Promise<CrowdCustomer[]> {
  const given = { dataDir: '', operatorToken: OPERATOR_TOKEN, secretKey: SECRET_KEY };
  const sealer = createSealer((await loadSecrets(given, quiet)).secretKey);
  return await changeConfiguration({ sql, actor: 'campaign' }, async ({ tx, version }) => {
    const rows = await tx<{ customerId: bigint; name: string }[]>`
      insert into customer (customer_no, name, status, currency, billing_mode, credit_limit, charge_on, refund_on_failure,
        unit_price, policy_prepare, policy_freeze, policy_submit, requests_per_second, version, bucket)
      select 'CROWD' || i, 'crowd-' || i, 'active', 'CNY', 'postpaid', 1000000000,
        case when i % 2 = 0 then 'submit' else 'delivery' end, i % 3 = 0, 50000, 'by_request', 'by_request', 'by_request',
        1000, ${version}, (select bucket from bucket order by bucket offset i % (select count(*) from bucket) limit 1)
      from generate_series(1, ${CROWD}) as i
      returning customer_id as "customerId", name`;
    await tx`
      insert into account (bucket, customer_id, credit_limit)
      select bucket, customer_id, credit_limit from customer where version = ${version}`;
    await tx`
      insert into channel_grant (customer_id, channel_id, version)
      select customer_id, channel_id, ${version} from customer cross join channel where customer.version = ${version}`;
    await tx`
      insert into service_account (service_account_no, customer_id, name, sender, status, version)
      select 'S' || name, customer_id, 'Main', '10691234', 'active', ${version} from customer where version = ${version}`;
    await tx`
      insert into template (template_no, customer_id, name, body, service_account_id, status, version)
      select 'M' || substr(service_account_no, 2), customer_id, 'One', 'Hello {p1}', service_account_id, 'active', ${version}
      from service_account where version = ${version}`;
    const crowd = rows.map(({ customerId, name }) => {
      const { api_key: apiKey, api_secret: apiSecret } = createKeyPair(randomBytes);
      const sealed = sealer.seal(apiSecret, credentialContext(asCustomerId(customerId), apiKey));
      return { customerId, sealed, customer: { name, apiKey, apiSecret, templateNo: `M${name}` } };
    });
    await tx`
      insert into credential ${tx(
        crowd.map(({ customerId, sealed, customer }) => ({
          api_key: customer.apiKey,
          customer_id: customerId,
          secret_sealed: sealed,
          status: 'active',
          version,
        })),
      )}`;
    return crowd.map(({ customer }) => customer);
  });
}
