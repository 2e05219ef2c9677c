namespace CoAP.NET;

/// <summary>The times and options of connections of reliable transports (RFC 8323).</summary>
/// <remarks>Sizes and numbers are in <see cref="CoapLimits"/>. Mutable; the endpoint copies it when it is created.</remarks>
public sealed class CoapStreamOptions
{
    /// <summary>How long opening a connection may take, excluding the TLS handshake.</summary>
    /// <remarks>Default 20 s; above 0, up to 1 day, or infinite.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan ConnectTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(20);

    /// <summary>How long a TLS handshake may take.</summary>
    /// <remarks>Default 10 s; above 0, up to 1 day, or infinite.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan HandshakeTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(10);

    /// <summary>How long the peer's CSM may take after the connection was opened (RFC 8323 section 3.3).</summary>
    /// <remarks>
    /// After that, the endpoint aborts the connection. Messages of more than 1,152 bytes wait for the CSM. Default 10 s; above 0, up to 1
    /// day, or infinite.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan CsmTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(10);

    /// <summary>How long a frame may take until it is complete.</summary>
    /// <remarks>
    /// The time starts again when 256 bytes of the frame arrived for each second of it. After it, the endpoint aborts the connection.
    /// Default 30 s; above 0, up to 1 day, or infinite.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan FrameTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(30);

    /// <summary>How long a peer may take to read all queued data.</summary>
    /// <remarks>
    /// The time starts again when the peer read 256 bytes for each second of it. After it, the endpoint closes the connection. Default 30
    /// s; above 0, up to 1 day, or infinite.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan SendTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(30);

    /// <summary>The silence after which the endpoint sends a Ping (RFC 8323 section 5.4).</summary>
    /// <remarks>Default 2 minutes; above 0, up to 1 day, or infinite for never.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan KeepAliveInterval { get; set => field = Check(value); } = TimeSpan.FromMinutes(2);

    /// <summary>How long a Pong may take; then the connection counts as lost.</summary>
    /// <remarks>Default 20 s; above 0, up to 1 day, or infinite.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan PongTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(20);

    /// <summary>
    /// How long a connection with nothing but Ping and Pong stays open; then the endpoint releases it (RFC 8323 section 5.5).
    /// </summary>
    /// <remarks>
    /// Connections with observers, observations or running requests stay open. Default 30 minutes; above 0, up to 1 day, or infinite to
    /// keep it open.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan IdleTimeout { get; set => field = Check(value); } = TimeSpan.FromMinutes(30);

    /// <summary>How long a connection stays open after Release, or after the peer closed its side, for running exchanges.</summary>
    /// <remarks>Default 5 s; above 0, up to 1 day.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan ReleaseTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(5);

    /// <summary>How long a client waits before the next attempt when a connection could not be opened or was lost at once.</summary>
    /// <remarks>It doubles with each failure, with a random part. Default 500 ms; above 0, up to 1 day.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan ReconnectDelay { get; set => field = Check(value); } = TimeSpan.FromMilliseconds(500);

    /// <summary>The maximum delay of a client before the next attempt.</summary>
    /// <remarks>Default 1 minute; above 0, up to 1 day.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public TimeSpan MaxReconnectDelay { get; set => field = Check(value); } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Whether a request with an idempotent method (GET, PUT, DELETE, FETCH, iPATCH; RFC 7252 section 5.1) is sent again on a new
    /// connection if its connection ends before the response arrived.
    /// </summary>
    /// <remarks>Others fail with a <see cref="CoapConnectionException"/>. Default true.</remarks>
    public bool RepeatsIdempotentRequests { get; set; } = true;

    internal CoapStreamOptions Clone() => (CoapStreamOptions)MemberwiseClone();

    private static TimeSpan Check(TimeSpan value) =>
        value == Timeout.InfiniteTimeSpan || (value > TimeSpan.Zero && value <= TimeSpan.FromDays(1))
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value,
                "The time must be above zero and at most a day, or Timeout.InfiniteTimeSpan.");
}
