namespace CoAP.NET.Peers;

/// <summary>The stages that keep state for a channel and must agree when it is forgotten.</summary>
internal interface IChannelOwner
{
    /// <summary>Drops the state of a channel if none of it is younger than its lifetime; of a newcomer only what runs counts. Called under Shard.Gate.</summary>
    /// <param name="channel">The channel; nothing pins it.</param>
    /// <returns>Whether the channel may go.</returns>
    bool TryForget(CoapChannel channel);
}
