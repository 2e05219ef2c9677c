using System.Net;

namespace CoAP.NET.Dtls;

/// <summary>The server that a client opens a session with; selects the pre-shared key.</summary>
public sealed class CoapDtlsTargetServer
{
    private readonly CoapAddress _address;

    internal CoapDtlsTargetServer(string? host, CoapAddress address, string? identityHint)
    {
        Host = host;
        _address = address;
        IdentityHint = identityHint;
    }

    /// <summary>The host of the request's URI; null when that is an address.</summary>
    public string? Host { get; }

    /// <summary>The server's address and port.</summary>
    public IPEndPoint RemoteEndPoint => _address.ToIPEndPoint();

    /// <summary>
    /// The server's hint for the choice of the key (RFC 4279 section 5); null without one. The server has not proven anything yet.
    /// </summary>
    public string? IdentityHint { get; }
}
