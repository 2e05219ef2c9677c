namespace CoAP.NET;

/// <summary>The peer's host said that nobody listens at its port: an ICMP message that quotes our own datagram (RFC 7252 section 4.2).</summary>
public sealed class CoapUnreachableException : CoapException
{
    internal CoapUnreachableException(string target)
        : base($"Nobody listens at {target}: its host reported the port unreachable. Check address and port, and whether the server runs.")
    {
    }

    internal CoapUnreachableException(string target, Exception innerException)
        : base($"{target} went away in the middle of a transfer: its host reported the port unreachable. A part of the body was transferred; begin again when the server runs.", innerException) =>
        HasBegun = true;

    /// <summary>Whether the peer answered a part of the request before, so that another address is no substitute.</summary>
    internal bool HasBegun { get; }
}
