namespace CoAP.NET;

/// <summary>The peer's host said that nobody listens at its port: an ICMP message that quotes our own datagram (RFC 7252 section 4.2).</summary>
public sealed class CoapUnreachableException : CoapException
{
    internal CoapUnreachableException(string target)
        : base($"Nobody listens at {target}: its host reported the port unreachable. Check address and port, and whether the server runs.")
    {
    }
}
