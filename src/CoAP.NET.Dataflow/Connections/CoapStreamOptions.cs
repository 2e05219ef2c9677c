namespace CoAP.NET;

/// <summary>
/// How connections of reliable transports are kept (RFC 8323). Sizes and numbers are in <see cref="CoapLimits"/>. Mutable; the endpoint
/// copies it when it is made.
/// </summary>
public sealed class CoapStreamOptions
{
    /// <summary>How long opening a connection may take, without a TLS handshake. Default 20 s; above 0, up to 1 day, or infinite.</summary>
    public TimeSpan ConnectTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(20);

    /// <summary>How long a TLS handshake may take. Default 10 s; above 0, up to 1 day, or infinite.</summary>
    public TimeSpan HandshakeTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long the peer's CSM may take after the connection was opened (RFC 8323 section 3.3); then the connection is aborted. Messages of
    /// more than 1,152 bytes wait for it. Default 10 s; above 0, up to 1 day, or infinite.
    /// </summary>
    public TimeSpan CsmTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(10);

    /// <summary>
    /// How long a frame may take until it is whole, or until 256 bytes of it came for each second of this time; from then on it has as long
    /// again. Otherwise the connection is aborted. Default 30 s; above 0, up to 1 day, or infinite.
    /// </summary>
    public TimeSpan FrameTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// How long a peer may take until it took all that waits for it, or 256 bytes of it for each second of this time; from then on it has
    /// as long again. Otherwise the connection is closed. Default 30 s; above 0, up to 1 day, or infinite.
    /// </summary>
    public TimeSpan SendTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(30);

    /// <summary>
    /// After how long a silence a Ping is sent (RFC 8323 section 5.4). Default 2 minutes; above 0, up to 1 day, or infinite for never.
    /// </summary>
    public TimeSpan KeepAliveInterval { get; set => field = Check(value); } = TimeSpan.FromMinutes(2);

    /// <summary>How long a Pong may take; then the connection counts as lost. Default 20 s; above 0, up to 1 day, or infinite.</summary>
    public TimeSpan PongTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(20);

    /// <summary>
    /// How long a connection stays on which nothing but Ping and Pong is exchanged; then it is released (RFC 8323 section 5.5). Connections
    /// with observers, observations or requests under way stay. Default 30 minutes; above 0, up to 1 day, or infinite for ever.
    /// </summary>
    public TimeSpan IdleTimeout { get; set => field = Check(value); } = TimeSpan.FromMinutes(30);

    /// <summary>
    /// How long a connection stays after Release, or after the peer ended its side, for what is under way. Default 5 s; above 0, up to 1
    /// day.
    /// </summary>
    public TimeSpan ReleaseTimeout { get; set => field = Check(value); } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// How long a client waits after a connection could not be opened or was lost at once before it tries again; doubled with each failure,
    /// with a random part. Default 500 ms; above 0, up to 1 day.
    /// </summary>
    public TimeSpan ReconnectDelay { get; set => field = Check(value); } = TimeSpan.FromMilliseconds(500);

    /// <summary>The longest wait of a client before it tries again. Default 1 minute; above 0, up to 1 day.</summary>
    public TimeSpan MaxReconnectDelay { get; set => field = Check(value); } = TimeSpan.FromMinutes(1);

    /// <summary>
    /// Whether a request of an idempotent method (GET, PUT, DELETE, FETCH, iPATCH; RFC 7252 section 5.1) is sent once more, on a new
    /// connection, when its connection ends before the response came. Others fail with a <see cref="CoapConnectionException"/>. Default
    /// true.
    /// </summary>
    public bool RepeatsIdempotentRequests { get; set; } = true;

    internal CoapStreamOptions Clone() => (CoapStreamOptions)MemberwiseClone();

    private static TimeSpan Check(TimeSpan value) =>
        value == Timeout.InfiniteTimeSpan || (value > TimeSpan.Zero && value <= TimeSpan.FromDays(1))
            ? value
            : throw new ArgumentOutOfRangeException(nameof(value), value,
                "The time is above zero and at most a day, or Timeout.InfiniteTimeSpan.");
}
