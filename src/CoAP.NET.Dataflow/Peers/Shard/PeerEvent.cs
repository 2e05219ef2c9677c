namespace CoAP.NET.Shard;

/// <summary>An event of a connection or session, for the endpoint.</summary>
/// <param name="Kind">What happened.</param>
/// <param name="Channel">The peer.</param>
/// <param name="Reason">The reason of an end; null for others.</param>
internal readonly record struct PeerEvent(PeerEventKind Kind, CoapChannel Channel, CoapConnectionException? Reason = null);

/// <summary>What happened to a connection or session.</summary>
internal enum PeerEventKind : byte
{
    /// <summary>It is ready.</summary>
    Ready,

    /// <summary>It ended.</summary>
    Gone,
}
