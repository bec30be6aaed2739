<?php
// Signs a request, sends it and returns the answer. PHP 8 or later. Paths of the operator take the token.

function sign(string $method, string $target, string $body): array
{
    $timestamp = (string) (int) (microtime(true) * 1000);
    $text = implode("\n", [$method, $target, $timestamp, hash('sha256', $body)]);
    $signature = hash_hmac('sha256', $text, getenv('POSTRIDER_API_SECRET'));
    return ['X-API-Key: ' . getenv('POSTRIDER_API_KEY'), "X-Timestamp: $timestamp", "X-Sign: $signature"];
}

function call(string $method, string $target, ?array $content = null): array
{
    $body = $content === null ? '' : json_encode($content, JSON_THROW_ON_ERROR);
    $credentials = str_starts_with($target, '/operator/')
        ? ['Authorization: Bearer ' . getenv('POSTRIDER_OPERATOR_TOKEN')]
        : sign($method, $target, $body);
    $context = stream_context_create(['http' => [
        'method' => $method,
        'content' => $body,
        'ignore_errors' => true,
        'header' => ['Content-Type: application/json', ...$credentials],
    ]]);
    $answer = file_get_contents(getenv('POSTRIDER_URL') . $target, false, $context);
    return json_decode($answer, true, 512, JSON_THROW_ON_ERROR);
}
