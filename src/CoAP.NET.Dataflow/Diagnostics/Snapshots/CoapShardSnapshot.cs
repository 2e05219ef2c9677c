namespace CoAP.NET;

/// <summary>A shard of an endpoint in a <see cref="CoapSnapshot"/>.</summary>
/// <param name="Index">Its number, from 0.</param>
/// <param name="Peers">Peers that are known over datagrams.</param>
/// <param name="Outstanding">Messages of ours that an acknowledgement or reset can match.</param>
/// <param name="Queued">Messages of ours that wait for their turn (NSTART, PROBING_RATE, Message IDs).</param>
/// <param name="Transfers">Bodies of requests of which blocks are missing.</param>
/// <param name="Observers">Observers of our resources.</param>
public sealed record CoapShardSnapshot(int Index, int Peers, int Outstanding, int Queued, int Transfers, int Observers);
