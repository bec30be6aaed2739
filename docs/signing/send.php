<?php
// Signs a request, sends one message and waits for its receipt. PHP 8 or later, no extension: php send.php

declare(strict_types=1);

function sign(string $secret, string $method, string $target, string $timestamp, string $body): string
{
    return hash_hmac('sha256', implode("\n", [$method, $target, $timestamp, hash('sha256', $body)]), $secret);
}

function setting(string $name): string
{
    $value = getenv($name);
    if ($value === false || $value === '') {
        throw new RuntimeException("$name is not set");
    }
    return $value;
}

function call(string $method, string $target, string $body = ''): array
{
    $timestamp = (string) (int) (microtime(true) * 1000);
    $context = stream_context_create(['http' => [
        'method' => $method,
        // The bytes that were signed are the bytes that are sent.
        'content' => $body,
        'ignore_errors' => true,
        'header' => [
            'Content-Type: application/json',
            'X-API-Key: ' . setting('POSTRIDER_API_KEY'),
            "X-Timestamp: $timestamp",
            'X-Sign: ' . sign(setting('POSTRIDER_API_SECRET'), $method, $target, $timestamp, $body),
        ],
    ]]);
    $stream = @fopen((getenv('POSTRIDER_URL') ?: 'http://127.0.0.1:8080') . $target, 'rb', false, $context);
    if ($stream === false) {
        throw new RuntimeException('the service cannot be reached');
    }
    $answer = stream_get_contents($stream);
    $status = explode(' ', stream_get_meta_data($stream)['wrapper_data'][0])[1];
    if ($status !== '200') {
        throw new RuntimeException($answer);
    }
    return json_decode($answer, true, 512, JSON_THROW_ON_ERROR);
}

function send(string $phone): void
{
    $request = [
        'template_no' => setting('POSTRIDER_TEMPLATE_NO'),
        'phones' => [$phone],
        'variable_values' => ['p1' => 'Ann'],
        // A new id for each run of this example. Your program keeps one for each business request
        // before it sends: sent again, it finds the task that is there.
        'client_request_id' => 'php-' . bin2hex(random_bytes(8)),
        'auto_freeze' => true,
        'auto_submit' => true,
    ];
    $taskNo = call('POST', '/openapi/v1/messages/send/', json_encode($request, JSON_THROW_ON_ERROR))['task_no'];
    for ($attempt = 0; $attempt < 60; $attempt++) {
        foreach (call('GET', "/openapi/v1/messages/receipts/?task_no=$taskNo")['items'] as $receipt) {
            echo "$taskNo $phone {$receipt['result']} {$receipt['code']}\n";
            return;
        }
        sleep(1);
    }
    throw new RuntimeException("no receipt yet for $taskNo");
}

if ($argc !== 2) {
    fwrite(STDERR, "Usage: php send.php PHONE | --vectors\n");
    exit(2);
}
$argument = $argv[1];
if ($argument === '--vectors') {
    $secret = 'sk_test_0123456789abcdef';
    $body = '{"template_no":"T1","phones":["13800138000"]}';
    echo sign($secret, 'GET', '/openapi/v1/messages/tasks/?page=1&page_size=20', '1794700800000', ''), "\n";
    echo sign($secret, 'POST', '/openapi/v1/messages/send/', '1794700800000', $body), "\n";
} else {
    try {
        send($argument);
    } catch (RuntimeException $error) {
        fwrite(STDERR, $error->getMessage() . "\n");
        exit(1);
    }
}
