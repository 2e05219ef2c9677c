namespace CoAP.NET.Explorer.Dashboard;

/// <summary>Requests the peers.</summary>
/// <param name="Address">Only those of this address; null or empty for all.</param>
internal sealed record PeersRequest(string? Address = null);

/// <summary>Requests the messages of a peer.</summary>
/// <param name="Peer">Its address, with or without a port.</param>
internal sealed record TraceRequest(string Peer);
