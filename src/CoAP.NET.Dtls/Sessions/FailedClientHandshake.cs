using CoAP.NET.Dtls.Handshakes;

namespace CoAP.NET.Dtls.Sessions;

/// <summary>A failed handshake with a client, for the log of the server: the client learns none of it.</summary>
/// <param name="Path">The path to the client.</param>
/// <param name="Identity">The identity that the client claims, as the client wrote it; null if it claimed none.</param>
/// <param name="End">Why it failed.</param>
internal sealed record FailedClientHandshake(DtlsPath Path, string? Identity, HandshakeFailureReason End);
