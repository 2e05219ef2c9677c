namespace CoAP.NET.Messaging;

/// <summary>
/// Sees to it that the times of a peer are those of the parameters that it has now. Peers with the same parameters share them. Guarded by
/// the shard's lock.
/// </summary>
internal sealed class CurrentTimes
{
    private PeerTimes _last = new(CoapTransmissionParameters.Default);

    /// <summary>The peer, with the times of the parameters that it has now.</summary>
    public CoapChannel Refresh(CoapChannel channel)
    {
        if (!ReferenceEquals(channel.Messaging.Times?.Parameters, channel.Parameters))
        {
            channel.Messaging.Times = Of(channel.Parameters);
        }

        return channel;
    }

    private PeerTimes Of(CoapTransmissionParameters parameters)
    {
        if (!ReferenceEquals(_last.Parameters, parameters))
        {
            _last = new PeerTimes(parameters);
        }

        return _last;
    }
}
