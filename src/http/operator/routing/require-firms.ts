import { errorText } from '../../../domain/fault/error-text.js';
import { findUnknownFirms } from '../../../store/operator/firm.js';
import { Problem } from '../../problem/problem.js';
import type { OperatorDeps } from '../operator-route.js';

/** Channels, templates and prices name firms that exist, so that a misspelt one is found at once and not by lost messages. */
export async function requireFirms(deps: OperatorDeps, firms: readonly string[]): Promise<void> {
  const unknown = await findUnknownFirms(deps.sql, firms);
  if (unknown.length === 0) return;
  const shown = unknown.slice(0, 5).join(', ');
  throw new Problem(
    'firm_unavailable',
    errorText(unknown.length > 5 ? 'many_firms_missing' : 'firms_missing', { firms: shown }),
  );
}
