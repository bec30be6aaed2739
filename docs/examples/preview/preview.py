import os

from postrider import Client

client = Client(
    os.environ["POSTRIDER_URL"],
    os.environ["POSTRIDER_API_KEY"],
    os.environ["POSTRIDER_API_SECRET"],
)
preview = client.preview(
    template_no=os.environ["POSTRIDER_TEMPLATE_NO"],
    phones=["13800139001", "13800139002", "12345"],
    variable_values={"p1": "Ann"},
)
print(f"{preview.sendable} of {preview.total} numbers for {preview.price} {preview.currency}")
for rejection in preview.rejections:
    print(rejection.phone, rejection.code)
