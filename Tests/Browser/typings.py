"""The types of the scripts: what pages write compiles, and what is declared is there."""
import subprocess

from shop import ROOT


def test_typings(test):
    del test
    result = subprocess.run(
        ["tsc", "--noEmit", "--allowJs", "--checkJs", "--strict", "--target", "es2022", "--lib", "es2022,dom,dom.iterable", "--module",
         "es2022", "--moduleResolution", "node", ROOT + "/Tests/Browser/typings.ts"], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout
