namespace CoAP.NET.Hosting;

/// <summary>The keys of <see cref="CoapStreamOptions"/>.</summary>
internal static class StreamKeys
{
    public static KeyTable<CoapStreamOptions> Table { get; } = new KeyTable<CoapStreamOptions>()
        .Time("Streams:ConnectTimeout", UpToADayOrInfinite, static streams => streams.ConnectTimeout,
            static (streams, value) => streams.ConnectTimeout = value)
        .Time("Streams:HandshakeTimeout", UpToADayOrInfinite, static streams => streams.HandshakeTimeout,
            static (streams, value) => streams.HandshakeTimeout = value)
        .Time("Streams:CsmTimeout", UpToADayOrInfinite, static streams => streams.CsmTimeout,
            static (streams, value) => streams.CsmTimeout = value)
        .Time("Streams:FrameTimeout", UpToADayOrInfinite, static streams => streams.FrameTimeout,
            static (streams, value) => streams.FrameTimeout = value)
        .Time("Streams:SendTimeout", UpToADayOrInfinite, static streams => streams.SendTimeout,
            static (streams, value) => streams.SendTimeout = value)
        .Time("Streams:KeepAliveInterval", UpToADayOrInfinite, static streams => streams.KeepAliveInterval,
            static (streams, value) => streams.KeepAliveInterval = value)
        .Time("Streams:PongTimeout", UpToADayOrInfinite, static streams => streams.PongTimeout,
            static (streams, value) => streams.PongTimeout = value)
        .Time("Streams:IdleTimeout", UpToADayOrInfinite, static streams => streams.IdleTimeout,
            static (streams, value) => streams.IdleTimeout = value)
        .Time("Streams:ReleaseTimeout", UpToADay, static streams => streams.ReleaseTimeout,
            static (streams, value) => streams.ReleaseTimeout = value)
        .Time("Streams:ReconnectDelay", UpToADay, static streams => streams.ReconnectDelay,
            static (streams, value) => streams.ReconnectDelay = value)
        .Time("Streams:MaxReconnectDelay", UpToADay, static streams => streams.MaxReconnectDelay,
            static (streams, value) => streams.MaxReconnectDelay = value)
        .Switch("Streams:RepeatsIdempotentRequests", static streams => streams.RepeatsIdempotentRequests,
            static (streams, value) => streams.RepeatsIdempotentRequests = value);

    private static TimeKind UpToADay => new(TimeSpan.Zero, TimeSpan.FromDays(1), isAbove: true);

    private static TimeKind UpToADayOrInfinite => new(TimeSpan.Zero, TimeSpan.FromDays(1), isInfiniteAllowed: true, isAbove: true);
}
