"""How fast simulating is beside the C++ program: `make bench-cpp`.

make bench-cpp ARGS="FOLDER_OF_THE_PROGRAMS"          both in turn, answers compared
make bench-cpp ARGS="--only pipeline"                 rows whose names have that in them, beside stored times
make bench-cpp ARGS="--list"                          the rows
"""
