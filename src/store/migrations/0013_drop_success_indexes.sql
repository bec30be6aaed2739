-- Those of 0012 take their place.
drop index submit_status;
drop index delivery_status;
drop index receipt_result;
drop index receipt_firm;
