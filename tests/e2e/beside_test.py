"""What lies beside a dataset, and that verify sees when it changes: rank lists and the page of report."""
import json
import unittest

import harness
from harness import compress


class Beside(harness.Case):
    def setUp(self):
        super().setUp()
        self.write("in/a.tar.bz2", compress("bzip2", harness.shard(count=16)))
        self.shardmill("repack", "in", "--out", "out", "--shards", 4)

    def findings(self, code=1):
        result = self.shardmill("verify", "out", "--json", code=code)
        return [(finding["file"], finding["what"]) for finding in json.loads(result.out)["list"]
                if finding["severity"] == "finding"]

    def test_swapped_rank_lists(self):
        self.shardmill("ranks", "out", "--world-size", "2,4")
        self.assertEqual(self.findings(code=0), [])
        lists = [self.folder / f"out/ranks/world-4/rank-{rank}.list" for rank in (1, 2)]
        texts = [path.read_bytes() for path in lists]
        self.assertNotEqual(*texts)
        for path, text in zip(lists, reversed(texts)):
            path.write_bytes(text)
        self.assertEqual([path for path, _ in self.findings()],
                         ["out/ranks/world-4/rank-1.list", "out/ranks/world-4/rank-2.list"])

    def test_another_order(self):
        self.shardmill("ranks", "out", "--world-size", "2")
        for name in ("rank-0.list", "data.list"):
            with self.subTest(name=name):
                path = self.folder / "out/ranks/world-2" / name
                text = path.read_bytes()
                path.write_bytes(b"".join(reversed(text.splitlines(keepends=True))))
                found = self.findings()
                self.assertEqual([path for path, _ in found], [f"out/ranks/world-2/{name}"])
                self.assertIn("ranks/SHA256SUMS", found[0][1])
                path.write_bytes(text)

    def test_checksums_of_rank_lists_are_missing(self):
        self.shardmill("ranks", "out", "--world-size", "2")
        sums = self.folder / "out/ranks/SHA256SUMS"
        sums.write_bytes(b"")
        self.assertEqual({path for path, _ in self.findings()}, {"out/ranks/SHA256SUMS"})
        sums.unlink()
        result = self.shardmill("verify", "out")
        self.assertIn("SHA256SUMS: is not there", result.out.decode() + result.err)

    def test_changed_report(self):
        self.shardmill("report", "out")
        self.assertEqual(self.findings(code=0), [])
        page = self.folder / "out/report.html"
        text = page.read_bytes()
        for changed in (text.replace(b"shards", b"shard5", 1), text[:-1], text + b"<p>"):
            page.write_bytes(changed)
            self.assertEqual([path for path, _ in self.findings()], ["out/report.html"])
        page.write_bytes(text)
        self.assertEqual(self.findings(code=0), [])

    def test_report_of_an_earlier_version(self):
        self.write("out/report.html", b"<!DOCTYPE html>\n<p>as it was</p>\n")
        result = self.shardmill("verify", "out")
        self.assertIn("report.html: has no checksum", result.out.decode() + result.err)


if __name__ == "__main__":
    unittest.main()
