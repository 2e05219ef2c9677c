namespace CoAP.NET.Diagnostics;

/// <summary>A shard of an endpoint in a <see cref="CoapDiagnosticSnapshot"/>.</summary>
/// <param name="Index">Its number, from 0.</param>
/// <param name="Peers">The number of known peers over datagrams.</param>
/// <param name="Outstanding">The number of our messages that an acknowledgement or reset can match.</param>
/// <param name="Queued">The number of our queued messages (NSTART, PROBING_RATE, Message IDs).</param>
/// <param name="Transfers">The number of request bodies with missing blocks.</param>
/// <param name="Observers">The number of observers of our resources.</param>
internal sealed record CoapShardSnapshot(int Index, int Peers, int Outstanding, int Queued, int Transfers, int Observers);
