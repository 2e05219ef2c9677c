namespace CoAP.NET.Transports.WebSockets;

/// <summary>Configures a <see cref="CoapWebSocketTransport"/>.</summary>
/// <remarks>Mutable until the transport is made, which copies the options. <see cref="CoapLimits"/> has the sizes and numbers.</remarks>
internal sealed class CoapWebSocketTransportOptions
{
    /// <summary>Whether TLS protects connections, so the scheme is <c>coaps+ws</c>. Default false.</summary>
    public bool UseTls { get; set; }

    /// <summary>The server checks and client certificates; only <see cref="CoapTlsOptions.Client"/> is used.</summary>
    /// <remarks>Default null: certificates must be valid for the host of the URI and trusted by the operating system.</remarks>
    public CoapTlsOptions? Tls { get; set; }

    /// <summary>The timeouts for opening connections and for silent peers. Default: all defaults.</summary>
    public CoapStreamOptions Streams { get; set; } = new();

    /// <summary>The settings for opening WebSockets. Default: all defaults.</summary>
    public CoapWebSocketOptions WebSockets { get; set; } = new();

    /// <summary>Whether the browser opens the WebSockets. Tests set it elsewhere.</summary>
    internal bool IsInBrowser { get; set; } = OperatingSystem.IsBrowser();

    internal CoapWebSocketTransportOptions Clone()
    {
        CoapWebSocketTransportOptions copy = (CoapWebSocketTransportOptions)MemberwiseClone();
        copy.Tls = Tls?.Clone();
        Streams.MakeReadOnly("a transport");
        WebSockets.MakeReadOnly("a transport");
        return copy;
    }
}
