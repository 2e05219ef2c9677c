namespace CoAP.NET;

/// <summary>The limits of connections of reliable transports (RFC 8323).</summary>
/// <remarks>The group <see cref="CoapLimits.Connections"/>. Mutable; the endpoint copies it when it is created.</remarks>
public sealed class CoapConnectionLimits
{
    internal CoapConnectionLimits()
    {
    }

    /// <summary>The maximum number of connections of reliable transports in the whole endpoint (RFC 8323).</summary>
    /// <remarks>
    /// Default 100,000; 0 to 100,000,000. When full: the endpoint closes an idle connection of the source with the most, counted as
    /// <c>ConnectionsEvicted</c>: first one that sent no CSM, then one without running exchanges. If no other source has
    /// more than that of the newcomer, it only closes one that was idle for 10 s (without CSM for 1 s); otherwise it closes the newcomer at
    /// once, counted as <c>ConnectionsRefused</c>. Opening a connection fails with a
    /// <see cref="CoapConnectionException"/>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxCount { get; set => field = ValueGuard.InRange(value, 0, 100_000_000); } = 100_000;

    /// <summary>The maximum number of connections from the addresses of one source (<see cref="CoapQuotaSource"/>).</summary>
    /// <remarks>
    /// Default 1,000; 1 to 100,000,000. When full: one of them that was idle for 10 s (without CSM for 1 s) is closed, as with
    /// <see cref="MaxCount"/>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxCountPerSource { get; set => field = ValueGuard.InRange(value, 1, 100_000_000); } = 1000;

    /// <summary>The maximum number of running TLS handshakes that peers began.</summary>
    /// <remarks>
    /// Default 1,000; 1 to 100,000,000. A handshake begins with the first byte of the peer, and the same number of further connections may
    /// be accepted and still silent. When full: of the source with the most, the endpoint closes the one without progress for longest,
    /// counted as <c>ConnectionsEvicted</c>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxHandshakes { get; set => field = ValueGuard.InRange(value, 1, 100_000_000); } = 1000;

    /// <summary>The maximum number of running handshakes from the addresses of one source (<see cref="CoapQuotaSource"/>).</summary>
    /// <remarks>
    /// Default 100; 1 to 100,000,000. When full: the endpoint closes the one without progress for longest if that is a second or more;
    /// otherwise it closes the newcomer, counted as <c>ConnectionsRefused</c>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxHandshakesPerSource { get; set => field = ValueGuard.InRange(value, 1, 100_000_000); } = 100;

    /// <summary>
    /// The maximum size of a received message on a connection, in bytes with its header: our Max-Message-Size (RFC 8323 section 5.3.1).
    /// </summary>
    /// <remarks>Default 1 MiB; 64 to 1 GiB. The endpoint aborts the connection before it reads the rest of a larger message.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxMessageSize { get; set => field = ValueGuard.InRange(value, 64, 1 << 30); } = 1024 * 1024;

    /// <summary>Memory for incomplete frames over all connections, in bytes.</summary>
    /// <remarks>
    /// Default 64 MiB. It counts their whole buffers, and 32 KiB for each connection with an incomplete TLS record. One source has
    /// <see cref="MaxSourceFraction"/> of it. When full: of the source that holds the most, the endpoint closes the connection whose frame
    /// did not grow for longest, counted as <c>FramesRefused</c>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public long ReceiveMemory { get; set => field = ValueGuard.InRange(value, 4096, long.MaxValue); } = 64L * 1024 * 1024;

    /// <summary>
    /// The number of queued bytes on one connection at which the endpoint stops reading from it and newer notifications replace queued
    /// ones.
    /// </summary>
    /// <remarks>Default 256 KiB; 1 KiB to 512 MiB.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int SendQueueSize { get; set => field = ValueGuard.InRange(value, 1024, 1 << 29); } = 256 * 1024;

    /// <summary>The maximum number of queued bytes on one connection, in addition to one message.</summary>
    /// <remarks>
    /// Default 8 MiB; 1 KiB to 512 MiB. When full: the endpoint closes the connection, counted as
    /// <c>SlowConnections</c>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxSendQueueSize { get; set => field = ValueGuard.InRange(value, 1024, 1 << 29); } = 8 * 1024 * 1024;

    /// <summary>Memory for the send queues of all connections, in bytes.</summary>
    /// <remarks>
    /// Default 256 MiB; 64 KiB or more. It counts whole buffers, even if a part was sent. One source has <see cref="MaxSourceFraction"/> of
    /// it. When full: of the source that holds the most, the endpoint closes the connection whose peer read nothing for longest, counted as
    /// <c>SlowConnections</c>. A single message that exceeds the share of a source closes its connection.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public long SendMemory { get; set => field = ValueGuard.InRange(value, 64 * 1024, long.MaxValue); } = 256L * 1024 * 1024;

    /// <summary>
    /// The part of <see cref="ReceiveMemory"/> and of <see cref="SendMemory"/> that the connections of one source
    /// (<see cref="CoapQuotaSource"/>) may take.
    /// </summary>
    /// <remarks>
    /// Default 1/4; above 0, up to 1. The largest message of a connection always fits. When full: see these limits, applied to the
    /// connections of that source.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public double MaxSourceFraction { get; set => field = ValueGuard.Fraction(value); } = 0.25;

    /// <summary>The maximum number of requests of one connection that are served at a time.</summary>
    /// <remarks>
    /// Default 1,000; 1 to 10,000,000. When full: the endpoint stops reading from that connection until it has answered one, counted as
    /// <c>ReadingPauses</c>. All connections of a source together have its share of
    /// <see cref="CoapRequestLimits.MaxServed"/>.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxRequests { get; set => field = ValueGuard.InRange(value, 1, 10_000_000); } = 1000;

    internal CoapConnectionLimits Clone() => (CoapConnectionLimits)MemberwiseClone();
}
