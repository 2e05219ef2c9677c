namespace CoAP.NET.Requests;

/// <summary>The answer to a request that waited, made under the lock of a shard.</summary>
/// <param name="exchange">The request.</param>
/// <param name="result">The answer; null for none.</param>
internal sealed class WaitingRequestCompletion(CoapExchange exchange, CoapResult? result) : IDeferredWork
{
    void IDeferredWork.OnReleased(CoapShard shard) => shard.Effects?.Answer(exchange, result);
}
