// A command that can be pasted: signed with nothing but openssl, or with the operator's token.

import type { OpenApiOperation } from '../openapi.js';

export function renderCurl(method: string, path: string, operation: OpenApiOperation): string {
  const body = operation.requestBody?.content['application/json']?.example;
  const target = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`);
  const isSigned = operation.security.some((scheme) => 'Signature' in scheme);
  const data = body === undefined ? undefined : JSON.stringify(body);
  return isSigned ? renderSigned(method, target, data) : renderBearer(method, target, data);
}

function renderSigned(method: string, target: string, data: string | undefined): string {
  return [
    `TARGET="${target}"`,
    `BODY=${data === undefined ? "''" : quote(data)}`,
    'TS=$(date +%s000)',
    'HASH=$(printf %s "$BODY" | openssl dgst -sha256 -r | cut -d\' \' -f1)',
    `SIGN=$(printf '${method}\\n%s\\n%s\\n%s' "$TARGET" "$TS" "$HASH" \\`,
    '  | openssl dgst -sha256 -hmac "$API_SECRET" -r | cut -d\' \' -f1)',
    `curl -sS -X ${method} "$BASE_URL$TARGET" \\`,
    `  -H "X-API-Key: $API_KEY" -H "X-Timestamp: $TS" -H "X-Sign: $SIGN"${data === undefined ? '' : ' \\'}`,
    ...(data === undefined ? [] : ['  -H \'Content-Type: application/json\' --data-binary "$BODY"']),
  ].join('\n');
}

function renderBearer(method: string, target: string, data: string | undefined): string {
  return [
    `curl -sS -X ${method} "$BASE_URL${target}" \\`,
    `  -H "Authorization: Bearer $OPERATOR_TOKEN"${data === undefined ? '' : ' \\'}`,
    ...(data === undefined ? [] : [`  -H 'Content-Type: application/json' --data-binary ${quote(data)}`]),
  ].join('\n');
}

/** Single quotes keep everything as it is, save single quotes. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
