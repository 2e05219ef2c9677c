using System.Net;

namespace CoAP.NET.Transports;

/// <summary>
/// What a <see cref="CoapTcpTransport"/> binds and how it works. Mutable until the transport is made, which copies it. Sizes and numbers
/// are in <see cref="CoapLimits"/>.
/// </summary>
public sealed class CoapTcpTransportOptions
{
    /// <summary>The addresses to listen on; port 0 takes any free port. Default empty: it only connects.</summary>
    public IList<IPEndPoint> Endpoints { get; private set; } = [];

    /// <summary>Whether <c>[::]</c> serves IPv4 too. Default true. Other addresses are not concerned.</summary>
    public bool DualMode { get; set; } = true;

    /// <summary>How to talk to the operating system. Default <see cref="CoapTcpEngine.Auto"/>.</summary>
    public CoapTcpEngine Engine { get; set; }

    /// <summary>How many connections may wait to be accepted. Default 4,096; 1 to 65,535. The operating system may allow less.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Outside 1 to 65,535.</exception>
    public int Backlog
    {
        get;
        set
        {
            ArgumentOutOfRangeException.ThrowIfLessThan(value, 1);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 65_535);
            field = value;
        }
    } = 4096;

    /// <summary>
    /// How long user code may hold up other connections before a stand-by thread goes on receiving; see
    /// <see cref="CoapUdpTransportOptions.HandOverAfter"/>. Default 4 ms. Only for <see cref="CoapTcpEngine.Inline"/>.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">Less than 1 ms, or more than a minute.</exception>
    public TimeSpan HandOverAfter { get; set => field = UserCodePolicy.CheckHandOver(value); } = UserCodePolicy.HandOverAfter;

    /// <summary>Whether connections are protected by TLS, so that the scheme is <c>coaps+tcp</c>. Default false.</summary>
    public bool UseTls { get; set; }

    /// <summary>Certificates and checks; only with <see cref="UseTls"/>. Default null: see <see cref="CoapEndpointOptions.Tls"/>.</summary>
    public CoapTlsOptions? Tls { get; set; }

    /// <summary>How long connecting, handshakes and silent peers may take. Default: all defaults.</summary>
    public CoapStreamOptions Streams { get; set; } = new();

    /// <summary>The port on which TLS needs no ALPN (RFC 8323 section 8.2). Tests cannot bind the real one.</summary>
    internal int TlsPort { get; set; } = 5684;

    internal CoapTcpTransportOptions Clone()
    {
        CoapTcpTransportOptions copy = (CoapTcpTransportOptions)MemberwiseClone();
        copy.Endpoints = [.. Endpoints];
        copy.Streams = Streams.Clone();
        copy.Tls = Tls?.Clone();
        return copy;
    }
}
