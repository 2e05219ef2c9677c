namespace CoAP.NET.Interop.Tests.Peers;

/// <summary>What a program that has ended came to.</summary>
/// <param name="ExitCode">Its exit status. libcoap's client ends with 0 for errors and time-outs too: read what it wrote.</param>
/// <param name="Output">What it wrote to its standard output, without the last end of line.</param>
/// <param name="Errors">What it wrote to its standard error, without the last end of line.</param>
/// <param name="CommandLine">How it was started.</param>
internal sealed record PeerResult(int ExitCode, string Output, string Errors, string CommandLine);
