// The message centres there are, by protocol.
import { type MessageCentre, startCentre } from './centre.js';
import { createCmppProtocol } from './cmpp/protocol.js';
import { createRandom } from './fate.js';
import { createHttpProtocol } from './http-upstream/protocol.js';
import {
  CMPP_OPTIONS,
  type CmppOptions,
  fillOptions,
  HTTP_OPTIONS,
  type HttpOptions,
  SGIP_OPTIONS,
  type SgipOptions,
  SMGP_OPTIONS,
  SMPP_OPTIONS,
  type SmgpOptions,
  type SmppOptions,
} from './options.js';
import { createSgipProtocol } from './sgip/protocol.js';
import { createSmgpProtocol } from './smgp/protocol.js';
import { createSmppProtocol } from './smpp/protocol.js';

export type { MessageCentre } from './centre.js';

/** A message centre that speaks SMPP. */
export function startMessageCentre(given: Partial<SmppOptions> = {}): Promise<MessageCentre> {
  const options = fillOptions(SMPP_OPTIONS, given);
  const random = createRandom(options.seed);
  return startCentre(options, random, createSmppProtocol(options, random));
}

/** A message centre that speaks CMPP 2.0 and 3.0. */
export function startCmppCentre(given: Partial<CmppOptions> = {}): Promise<MessageCentre> {
  const options = fillOptions(CMPP_OPTIONS, given);
  const random = createRandom(options.seed);
  return startCentre(options, random, createCmppProtocol(options, random));
}

/** A message centre that speaks SMGP 3.0. */
export function startSmgpCentre(given: Partial<SmgpOptions> = {}): Promise<MessageCentre> {
  const options = fillOptions(SMGP_OPTIONS, given);
  const random = createRandom(options.seed);
  return startCentre(options, random, createSmgpProtocol(options, random));
}

/** A message centre that takes messages over HTTP and posts reports and replies. */
export function startHttpCentre(given: Partial<HttpOptions> = {}): Promise<MessageCentre> {
  const options = fillOptions(HTTP_OPTIONS, given);
  const random = createRandom(options.seed);
  return startCentre(options, random, createHttpProtocol(options, random));
}

/** A message centre that speaks SGIP 1.2. It connects to its clients with reports and replies. */
export function startSgipCentre(given: Partial<SgipOptions> = {}): Promise<MessageCentre> {
  const options = fillOptions(SGIP_OPTIONS, given);
  const random = createRandom(options.seed);
  return startCentre(options, random, createSgipProtocol(options, random));
}
