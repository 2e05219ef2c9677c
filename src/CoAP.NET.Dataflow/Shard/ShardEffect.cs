namespace CoAP.NET.Shard;

/// <summary>Something that was decided under the lock of a shard and is carried out after it was released; see <see cref="ShardEffectKind"/> for what the two objects are.</summary>
/// <param name="Kind">What is to be done.</param>
/// <param name="Subject">What it is done to: the action, the transmission, the exchange, the request.</param>
/// <param name="Detail">What it is done with: the state of the action, the answer, the error.</param>
internal readonly record struct ShardEffect(ShardEffectKind Kind, object Subject, object? Detail);
