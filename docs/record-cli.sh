#!/bin/sh
# Records anew what docs/cli.md shows of the command line tool: starts "coap serve" on a free port, runs the other commands against it and writes what they print.
# Without COAP_RECORD the same test checks that the page is what the commands print.
cd "$(dirname "$0")/.." || exit 1
COAP_RECORD=1 exec "${DOTNET:-dotnet}" test tests/CoAP.NET.Cli.Tests -c Release --filter FullyQualifiedName~RecordedPageTests
