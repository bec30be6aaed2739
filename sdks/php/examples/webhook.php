<?php

// Receives webhooks, and prints the outcome of each number: php -S 127.0.0.1:8081 webhook.php

declare(strict_types=1);

use Postrider\Model\ReceiptItems;
use Postrider\Webhook;
use Postrider\WebhookVerificationException;

require 'vendor/autoload.php';

try {
    $body = (string) file_get_contents('php://input');
    $message = Webhook::verify((string) getenv('WEBHOOK_SECRET'), getallheaders(), $body);
} catch (WebhookVerificationException $error) {
    http_response_code(400);
    echo $error->getMessage();
    return;
}
if ($message->data instanceof ReceiptItems) {
    foreach ($message->data->items as $receipt) {
        error_log("$message->id $receipt->phone $receipt->result $receipt->charged");
    }
}
http_response_code(204);
