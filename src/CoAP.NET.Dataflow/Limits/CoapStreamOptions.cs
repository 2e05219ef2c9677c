namespace CoAP.NET;

/// <summary>The times and options of connections of reliable transports (RFC 8323).</summary>
/// <remarks>Sizes and numbers are in <see cref="CoapLimits"/>. Read-only once an endpoint uses it.</remarks>
[HasSettings]
public sealed partial class CoapStreamOptions
{
    /// <summary>How long opening a connection may take, excluding the TLS handshake.</summary>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true, OrInfinite = true)]
    public partial TimeSpan ConnectTimeout { get; set; } = TimeSpan.FromSeconds(20);

    /// <summary>How long a TLS handshake may take.</summary>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true, OrInfinite = true)]
    public partial TimeSpan HandshakeTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long the peer's CSM may take after the connection was opened (RFC 8323 section 3.3).</summary>
    /// <remarks>
    /// After that, the endpoint aborts the connection. Messages of more than 1,152 bytes wait for the CSM.
    /// </remarks>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true, OrInfinite = true)]
    public partial TimeSpan CsmTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>How long a frame may take until it is complete.</summary>
    /// <remarks>
    /// The time starts again when 256 bytes of the frame arrived for each second of it. After it, the endpoint aborts the connection.
    /// </remarks>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true, OrInfinite = true)]
    public partial TimeSpan FrameTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>How long a peer may take to read all queued data.</summary>
    /// <remarks>
    /// The time starts again when the peer read 256 bytes for each second of it. After it, the endpoint closes the connection.
    /// </remarks>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true, OrInfinite = true)]
    public partial TimeSpan SendTimeout { get; set; } = TimeSpan.FromSeconds(30);

    /// <summary>The silence after which the endpoint sends a Ping (RFC 8323 section 5.4).</summary>
    /// <remarks>With an infinite time it sends none.</remarks>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true, OrInfinite = true)]
    public partial TimeSpan KeepAliveInterval { get; set; } = TimeSpan.FromMinutes(2);

    /// <summary>How long a Pong may take; then the connection counts as lost.</summary>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true, OrInfinite = true)]
    public partial TimeSpan PongTimeout { get; set; } = TimeSpan.FromSeconds(20);

    /// <summary>
    /// How long a connection with nothing but Ping and Pong stays open; then the endpoint releases it (RFC 8323 section 5.5).
    /// </summary>
    /// <remarks>
    /// Connections with observers, observations or running requests stay open. With an infinite time all stay open.
    /// </remarks>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true, OrInfinite = true)]
    public partial TimeSpan IdleTimeout { get; set; } = TimeSpan.FromMinutes(30);

    /// <summary>How long a connection stays open after Release, or after the peer closed its side, for running exchanges.</summary>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true)]
    public partial TimeSpan ReleaseTimeout { get; set; } = TimeSpan.FromSeconds(5);

    /// <summary>How long a client waits before the next attempt when a connection could not be opened or was lost at once.</summary>
    /// <remarks>It doubles with each failure, with a random part.</remarks>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true)]
    public partial TimeSpan ReconnectDelay { get; set; } = TimeSpan.FromMilliseconds(500);

    /// <summary>The maximum delay of a client before the next attempt.</summary>
    [TimeRange(0, Seconds.Day, IsMinExcluded = true)]
    public partial TimeSpan MaxReconnectDelay { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Whether a request with an idempotent method (GET, PUT, DELETE, FETCH, iPATCH; RFC 7252 section 5.1) is sent again on a new
    /// connection if its connection ends before the response arrived.
    /// </summary>
    /// <remarks>Others fail with a <see cref="CoapConnectionException"/>.</remarks>
    public partial bool RepeatsIdempotentRequests { get; set; } = true;
}
