#!/bin/sh
# Records what docs/cli.md shows of the command line tool: starts "coap serve" on a free port, runs the other commands against it and
# writes what they print. Then it draws docs/images/coap.svg from the first two sessions.
# Without COAP_RECORD the same tests check that the page and the picture show what the commands print.
cd "$(dirname "$0")/.." || exit 1
export COAP_RECORD=1
"${DOTNET:-dotnet}" test --project tests/CoAP.NET.Cli.Tests -c Release --filter-class "*RecordedPageTests" || exit 1
exec "${DOTNET:-dotnet}" test --project tests/CoAP.NET.Cli.Tests -c Release --no-build --filter-class "*TerminalPictureTests"
