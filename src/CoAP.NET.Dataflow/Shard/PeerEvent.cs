namespace CoAP.NET.Shard;

/// <summary>A connection or session that is ready, or ended, for the endpoint.</summary>
/// <param name="Channel">The peer.</param>
/// <param name="End">The reason of the end; null when it is ready.</param>
internal readonly record struct PeerEvent(CoapChannel Channel, CoapConnectionException? End = null);
