module example.com/gpus

go 1.19
