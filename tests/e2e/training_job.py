"""One rank of a training job with DistributedDataParallel; loaders_test.py starts as many as there are ranks.

    training_job.py RANK WORLD_SIZE RENDEZVOUS_FILE LISTS_JSON RESULT_JSON

LISTS_JSON: [{"list": FILE, "workers": K, "join": BOOL}, ...]; each list is trained on for two epochs.
"""
import contextlib
import datetime
import faulthandler
import json
import os
import pathlib
import sys

import torch
import torch.distributed
from torch.distributed.algorithms.join import Join

import wenet_reader

BATCH = 8
EPOCHS = 2


def train(model, lines, rank, world_size, epoch, workers):
    """One epoch: a gradient exchange with the other ranks after every BATCH samples."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    keys, frames, steps, batch = [], 0, 0, []

    def step():
        optimizer.zero_grad()
        model(torch.tensor(batch).unsqueeze(1)).square().mean().backward()
        optimizer.step()

    for key, _, length, _, level in wenet_reader.epoch_of(
            wenet_reader.Shards(lines, rank, world_size, epoch), workers):
        keys.append(key)
        frames += length
        batch.append(level)
        if len(batch) == BATCH:
            step()
            steps, batch = steps + 1, []
    return {"keys": keys, "frames": frames, "steps": steps}


def main():
    faulthandler.dump_traceback_later(240, exit=True)  # whoever hangs says where
    rank, world_size = int(sys.argv[1]), int(sys.argv[2])
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{sys.argv[3]}", rank=rank, world_size=world_size,
                                         timeout=datetime.timedelta(minutes=4))
    results = []
    for case in json.loads(pathlib.Path(sys.argv[4]).read_text()):
        lines = pathlib.Path(case["list"]).read_text().splitlines()
        model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
        epochs = []
        for epoch in range(EPOCHS):
            with Join([model]) if case["join"] else contextlib.nullcontext():
                epochs.append(train(model, lines, rank, world_size, epoch, case["workers"]))
        torch.distributed.barrier()
        results.append(epochs)
    pathlib.Path(sys.argv[5]).write_text(json.dumps(results))
    sys.stderr.flush()
    os._exit(0)  # all is done, and PyTorch 1.13 now and then waits for ever when it takes gloo down


if __name__ == "__main__":
    main()
