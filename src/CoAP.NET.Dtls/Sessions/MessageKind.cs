namespace CoAP.NET.Dtls.Sessions;

/// <summary>What the code of a message says (RFC 7252 section 12.1), for those who look at nothing else of it.</summary>
internal static class MessageKind
{
    private const int CodeOffset = 1;
    private const int ClassShift = 5;
    private const byte Empty = 0;
    private const byte Get = 1;
    private const byte Fetch = 5;

    /// <summary>Whether it is a request.</summary>
    /// <param name="message">The message, as datagrams have it.</param>
    public static bool IsRequest(ReadOnlySpan<byte> message) =>
        message.Length > CodeOffset && message[CodeOffset] >> ClassShift == 0 && message[CodeOffset] != Empty;

    /// <summary>Whether it is a request that may change something.</summary>
    /// <param name="message">The message, as datagrams have it.</param>
    public static bool IsUnsafeRequest(ReadOnlySpan<byte> message) =>
        IsRequest(message) && message[CodeOffset] is not (Get or Fetch);
}
