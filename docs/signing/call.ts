// Signs a request, sends it and returns the answer. Node 22.18 or later (older: compile it), no dependency. Paths of the operator take the token.
import { createHash, createHmac } from 'node:crypto';

const { POSTRIDER_URL, POSTRIDER_API_KEY = '', POSTRIDER_API_SECRET = '', POSTRIDER_OPERATOR_TOKEN } = process.env;

function sign(method: string, target: string, body: string): Record<string, string> {
  const timestamp = String(Date.now());
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const text = `${method}\n${target}\n${timestamp}\n${bodyHash}`;
  const signature = createHmac('sha256', POSTRIDER_API_SECRET).update(text).digest('hex');
  return { 'X-API-Key': POSTRIDER_API_KEY, 'X-Timestamp': timestamp, 'X-Sign': signature };
}

export async function call(method: string, target: string, content?: unknown): Promise<unknown> {
  const body = content === undefined ? '' : JSON.stringify(content);
  const isOperator = target.startsWith('/operator/');
  const credentials = isOperator ? { Authorization: `Bearer ${POSTRIDER_OPERATOR_TOKEN}` } : sign(method, target, body);
  const response = await fetch(POSTRIDER_URL + target, {
    method,
    ...(body === '' ? {} : { body }),
    headers: { 'Content-Type': 'application/json', ...credentials },
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}
