namespace CoAP.NET.Messaging;

/// <summary>
/// Updates the times of a peer to its current parameters. Peers with the same parameters share them. Guarded by the shard's lock.
/// </summary>
internal sealed class CurrentTimes
{
    private PeerTimes _last = new(CoapTransmissionParameters.Default);

    /// <summary>Returns the peer, with the times of its current parameters.</summary>
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
