module postrider.example/postrider

go 1.19
