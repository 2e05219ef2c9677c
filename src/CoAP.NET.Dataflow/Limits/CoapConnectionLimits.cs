namespace CoAP.NET;

/// <summary>The limits of connections of reliable transports (RFC 8323).</summary>
/// <remarks>The group <see cref="CoapLimits.Connections"/>. Read-only once an endpoint uses it.</remarks>
[HasSettings]
public sealed partial class CoapConnectionLimits
{
    internal CoapConnectionLimits()
    {
    }

    /// <summary>The maximum number of connections of reliable transports in the whole endpoint (RFC 8323).</summary>
    /// <remarks>
    /// When full: the endpoint closes an idle connection of the source with the most, counted as <c>ConnectionsEvicted</c>: first one that
    /// sent no CSM, then one without running exchanges. If no other source has more than that of the newcomer, it only closes one that was
    /// idle for 10 s (without CSM for 1 s); otherwise it closes the newcomer at once, counted as <c>ConnectionsRefused</c>. Opening a
    /// connection fails with a <see cref="CoapConnectionException"/>.
    /// </remarks>
    [NumberRange(0, 100_000_000)]
    public partial int MaxCount { get; set; } = 100_000;

    /// <summary>The maximum number of connections from the addresses of one source (<see cref="CoapQuotaSource"/>).</summary>
    /// <remarks>When full: one of them that was idle for 10 s (without CSM for 1 s) is closed, as with <see cref="MaxCount"/>.</remarks>
    [NumberRange(1, 100_000_000)]
    public partial int MaxCountPerSource { get; set; } = 1000;

    /// <summary>The maximum number of running TLS handshakes that peers began.</summary>
    /// <remarks>
    /// A handshake begins with the first byte of the peer, and the same number of further connections may be accepted and still silent.
    /// When full: of the source with the most, the endpoint closes the one without progress for longest, counted as
    /// <c>ConnectionsEvicted</c>.
    /// </remarks>
    [NumberRange(1, 100_000_000)]
    public partial int MaxHandshakes { get; set; } = 1000;

    /// <summary>The maximum number of running handshakes from the addresses of one source (<see cref="CoapQuotaSource"/>).</summary>
    /// <remarks>
    /// When full: the endpoint closes the one without progress for longest if that is a second or more; otherwise it closes the newcomer,
    /// counted as <c>ConnectionsRefused</c>.
    /// </remarks>
    [NumberRange(1, 100_000_000)]
    public partial int MaxHandshakesPerSource { get; set; } = 100;

    /// <summary>
    /// The maximum size of a received message on a connection, in bytes with its header: our Max-Message-Size (RFC 8323 section 5.3.1).
    /// </summary>
    /// <remarks>The endpoint aborts the connection before it reads the rest of a larger message.</remarks>
    [NumberRange(64, 1 << 30, IsBytes = true)]
    public partial int MaxMessageSize { get; set; } = 1024 * 1024;

    /// <summary>Memory for incomplete frames over all connections, in bytes.</summary>
    /// <remarks>
    /// It counts their whole buffers, and 32 KiB for each connection with an incomplete TLS record. One source has
    /// <see cref="MaxSourceFraction"/> of it. When full: of the source that holds the most, the endpoint closes the connection whose frame
    /// did not grow for longest, counted as <c>FramesRefused</c>.
    /// </remarks>
    [NumberRange(4096, IsBytes = true)]
    public partial long ReceiveMemory { get; set; } = 64L * 1024 * 1024;

    /// <summary>
    /// The number of queued bytes on one connection at which the endpoint stops reading from it and newer notifications replace queued
    /// ones.
    /// </summary>
    [NumberRange(1024, 1 << 29, IsBytes = true)]
    public partial int SendQueueSize { get; set; } = 256 * 1024;

    /// <summary>The maximum number of queued bytes on one connection, in addition to one message.</summary>
    /// <remarks>When full: the endpoint closes the connection, counted as <c>SlowConnections</c>.</remarks>
    [NumberRange(1024, 1 << 29, IsBytes = true)]
    public partial int MaxSendQueueSize { get; set; } = 8 * 1024 * 1024;

    /// <summary>Memory for the send queues of all connections, in bytes.</summary>
    /// <remarks>
    /// It counts whole buffers, even if a part was sent. One source has <see cref="MaxSourceFraction"/> of it. When full: of the source
    /// that holds the most, the endpoint closes the connection whose peer read nothing for longest, counted as <c>SlowConnections</c>. A
    /// single message that exceeds the share of a source closes its connection.
    /// </remarks>
    [NumberRange(64 * 1024, IsBytes = true)]
    public partial long SendMemory { get; set; } = 256L * 1024 * 1024;

    /// <summary>
    /// The part of <see cref="ReceiveMemory"/> and of <see cref="SendMemory"/> that the connections of one source
    /// (<see cref="CoapQuotaSource"/>) may take.
    /// </summary>
    /// <remarks>
    /// The largest message of a connection always fits. When full: see these limits, applied to the connections of that source.
    /// </remarks>
    [FactorRange(0, 1, IsMinExcluded = true)]
    public partial double MaxSourceFraction { get; set; } = 0.25;

    /// <summary>The maximum number of requests of one connection that are served at a time.</summary>
    /// <remarks>
    /// When full: the endpoint stops reading from that connection until it has answered one, counted as <c>ReadingPauses</c>. All
    /// connections of a source together have its share of <see cref="CoapRequestLimits.MaxServed"/>.
    /// </remarks>
    [NumberRange(1, 10_000_000)]
    public partial int MaxRequests { get; set; } = 1000;
}
