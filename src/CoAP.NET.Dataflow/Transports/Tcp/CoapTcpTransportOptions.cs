using System.Net;

namespace CoAP.NET.Transports.Tcp;

/// <summary>Configures the addresses and behaviour of a <see cref="CoapTcpTransport"/>.</summary>
/// <remarks>Mutable until the transport is made, which copies the options. <see cref="CoapLimits"/> has the sizes and numbers.</remarks>
internal sealed class CoapTcpTransportOptions
{
    /// <summary>The addresses to listen on; port 0 takes any free port. Default empty: it only connects.</summary>
    public IList<IPEndPoint> Endpoints { get; private set; } = [];

    /// <summary>Whether <c>[::]</c> serves IPv4 too. Default true. Other addresses are not affected.</summary>
    public bool DualMode { get; set; } = true;

    /// <summary>The engine that talks to the operating system. Default <see cref="CoapSocketEngine.Auto"/>.</summary>
    public CoapSocketEngine Engine { get; set; }

    /// <summary>The maximum number of connections that wait to be accepted. Default 4,096.</summary>
    /// <remarks>The range is 1 to 65,535. The operating system may allow less.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside 1 to 65,535.</exception>
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

    /// <summary>How long user code may delay other connections before a stand-by thread continues receiving. Default 4 ms.</summary>
    /// <remarks>Only for <see cref="CoapSocketEngine.LinuxLoop"/>. See <see cref="CoapUdpTransportOptions.HandOverAfter"/>.</remarks>
    public TimeSpan HandOverAfter { get; set; } = UserCodePolicy.HandOverAfter;

    /// <summary>Whether TLS protects connections, so the scheme is <c>coaps+tcp</c>. Default false.</summary>
    public bool UseTls { get; set; }

    /// <summary>Certificates and checks; only with <see cref="UseTls"/>. Default null: see <see cref="CoapEndpointOptions.Tls"/>.</summary>
    public CoapTlsOptions? Tls { get; set; }

    /// <summary>The timeouts for connecting, handshakes and silent peers. Default: all defaults.</summary>
    public CoapStreamOptions Streams { get; set; } = new();

    /// <summary>The port on which TLS needs no ALPN (RFC 8323 section 8.2). Tests cannot bind the real one.</summary>
    internal int TlsPort { get; set; } = 5684;

    internal CoapTcpTransportOptions Clone()
    {
        CoapTcpTransportOptions copy = (CoapTcpTransportOptions)MemberwiseClone();
        copy.Endpoints = [.. Endpoints];
        copy.Tls = Tls?.Clone();
        Streams.MakeReadOnly("a transport");
        return copy;
    }
}
