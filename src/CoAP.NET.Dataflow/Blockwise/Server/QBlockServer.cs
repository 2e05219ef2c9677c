namespace CoAP.NET.Blockwise.Server;

/// <summary>
/// Q-Block1 and Q-Block2 in the role of a server (RFC 9177). Takes the lock of the shard, unless a method says otherwise.
/// </summary>
internal abstract class QBlockServer
{
    /// <summary>Returns whether a response uses Q-Block2: the request shows that its sender supports it.</summary>
    public abstract bool Uses(CoapExchange exchange, CoapResult result);

    /// <summary>Reads the Q-Block options of a request.</summary>
    /// <param name="exchange">The request.</param>
    /// <param name="verdict">
    /// The decision about a request without a block of its body; null if it asks for a part of an answer that is gone.
    /// </param>
    /// <returns>The block of its body in the request; null for none, or if the options are invalid.</returns>
    public abstract BlockValue? Read(CoapExchange exchange, out BlockVerdict? verdict);

    /// <summary>Whether a request has the first block of a body to assemble. Under Shard.Gate.</summary>
    public abstract bool Begins(CoapExchange exchange);

    /// <summary>
    /// The gates of the route refused a body with its first block: late blocks of it get the same answer. Under Shard.Gate.
    /// </summary>
    public abstract void Refuse(CoapExchange exchange, BlockValue block, CoapResult refusal, long now);

    /// <summary>Processes a block of a request body. Under Shard.Gate.</summary>
    /// <param name="exchange">The request; becomes the whole one when no block is missing.</param>
    /// <param name="block">Its Q-Block1.</param>
    /// <param name="policy">The policy of the route.</param>
    /// <param name="isAdmitted">Whether the gates of the route have already admitted it.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public abstract BlockVerdict Receive(CoapExchange exchange, BlockValue block, RequestBodyPolicy policy, bool isAdmitted, long now);

    /// <summary>Converts an answer to its first requested block; the others follow.</summary>
    public abstract CoapResult Cut(CoapExchange exchange, CoapResult result);

    /// <summary>Sends what follows the first block, which went out.</summary>
    public abstract void Follow(CoapExchange exchange, CoapResult sent, CoapMessage response);
}
