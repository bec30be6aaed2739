// The languages of the documentation, and which of them a reader gets at its entrance: the one chosen before, else the one
// that the browser prefers.

import type { FastifyReply, FastifyRequest } from 'fastify';

export const LANGUAGES = ['en', 'zh'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The first page in each language. */
export const HOMES = { en: '/docs', zh: '/docs/zh' } as const satisfies Record<Language, string>;

const COOKIE = 'docs_language';
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** A link that switches the language carries `?lang=`; the choice is remembered for the next visit. */
export function rememberLanguage(request: FastifyRequest, reply: FastifyReply): Language | undefined {
  // The server leaves queries unparsed: the APIs parse theirs strictly.
  const query = new URLSearchParams(request.url.split('?')[1]);
  const chosen = LANGUAGES.find((language) => language === query.get('lang'));
  if (chosen === undefined) return undefined;
  reply.header('set-cookie', `${COOKIE}=${chosen}; Path=/docs; Max-Age=${YEAR_SECONDS}; SameSite=Lax`);
  return chosen;
}

export function chooseLanguage({ headers }: FastifyRequest): Language {
  const cookie = new RegExp(`(?:^|;\\s*)${COOKIE}=(\\w+)`).exec(headers.cookie ?? '')?.[1];
  return LANGUAGES.find((language) => language === cookie) ?? readPreference(headers['accept-language'] ?? '');
}

/** English, unless Chinese has a higher weight; of two with the same weight the first wins. */
export function readPreference(accepted: string): Language {
  let best: { readonly language: Language; readonly weight: number } = { language: 'en', weight: 0 };
  for (const range of accepted.split(',')) {
    const [tag = '', ...parameters] = range.split(';').map((piece) => piece.trim().toLowerCase());
    const language = LANGUAGES.find((known) => tag === known || tag.startsWith(`${known}-`));
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    const weight = quality === undefined ? 1 : Number(quality.slice(2)) || 0;
    if (language !== undefined && weight > best.weight) best = { language, weight };
  }
  return best.language;
}
