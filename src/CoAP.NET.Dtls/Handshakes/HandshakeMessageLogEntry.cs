namespace CoAP.NET.Dtls.Handshakes;

/// <summary>A message of a handshake, for logs.</summary>
/// <param name="IsSent">Whether this end sent it.</param>
/// <param name="Message">The name of the message or the alert.</param>
/// <param name="Length">Its bytes, with its header.</param>
/// <param name="Detail">What it agreed on, or why this end refused the handshake; empty for nothing.</param>
internal readonly record struct HandshakeMessageLogEntry(bool IsSent, string Message, int Length, string Detail);
