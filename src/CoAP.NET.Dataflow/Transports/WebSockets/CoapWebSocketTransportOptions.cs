namespace CoAP.NET.Transports;

/// <summary>
/// How a <see cref="CoapWebSocketTransport"/> works. Mutable until the transport is made, which copies it. Sizes and numbers are in
/// <see cref="CoapLimits"/>.
/// </summary>
public sealed class CoapWebSocketTransportOptions
{
    /// <summary>Whether connections are protected by TLS, so that the scheme is <c>coaps+ws</c>. Default false.</summary>
    public bool UseTls { get; set; }

    /// <summary>
    /// How servers are checked and who we are; of it only <see cref="CoapTlsOptions.Client"/> matters. Default null: certificates must be
    /// valid for the host of the URI and trusted by the operating system.
    /// </summary>
    public CoapTlsOptions? Tls { get; set; }

    /// <summary>How long opening and silent peers may take. Default: all defaults.</summary>
    public CoapStreamOptions Streams { get; set; } = new();

    /// <summary>How WebSockets are opened. Default: all defaults.</summary>
    public CoapWebSocketOptions WebSockets { get; set; } = new();

    internal CoapWebSocketTransportOptions Clone()
    {
        CoapWebSocketTransportOptions copy = (CoapWebSocketTransportOptions)MemberwiseClone();
        copy.Tls = Tls?.Clone();
        copy.Streams = Streams.Clone();
        copy.WebSockets = WebSockets.Clone();
        return copy;
    }
}
