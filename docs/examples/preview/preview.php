<?php

require 'vendor/autoload.php';

use Postrider\Client;

$client = new Client(
    getenv('POSTRIDER_URL'),
    getenv('POSTRIDER_API_KEY'),
    getenv('POSTRIDER_API_SECRET'),
);
$preview = $client->preview(
    templateNo: getenv('POSTRIDER_TEMPLATE_NO'),
    phones: ['13800139001', '13800139002', '12345'],
    variableValues: ['p1' => 'Ann'],
);
echo "$preview->sendable of $preview->total numbers for $preview->price $preview->currency\n";
foreach ($preview->rejections as $rejection) {
    echo "$rejection->phone $rejection->code\n";
}
