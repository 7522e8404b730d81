module apilist

go 1.24.0
