namespace CoAP.NET.Reliability.Tests.Hostile;

/// <summary>A step of a row's conversation.</summary>
/// <param name="Do">An arrow, <c>~</c>, <c>=</c>, or a word.</param>
/// <param name="Rest">What follows.</param>
/// <param name="Peer">Which hostile peer.</param>
/// <param name="Times">How many times.</param>
internal sealed record HostileStep(string Do, string Rest, char Peer, int Times);
