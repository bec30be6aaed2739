<?php

require 'vendor/autoload.php';

use Postrider\Client;
use Postrider\Model\Recipient;

$client = new Client(
    getenv('POSTRIDER_URL'),
    getenv('POSTRIDER_API_KEY'),
    getenv('POSTRIDER_API_SECRET'),
);
$numbers = (function () {
    for ($at = 0; $at < 300; $at++) {
        yield new Recipient(sprintf('139%07d0', $at), ['p1' => "number $at"]);
    }
})();
$summary = $client->sendAll(
    $numbers,
    templateNo: getenv('POSTRIDER_TEMPLATE_NO'),
    batchId: 'july-campaign',
    autoFreeze: true,
    autoSubmit: true,
    numbersPerTask: 100,
);
echo "$summary->numbers numbers in $summary->tasks tasks\n";
