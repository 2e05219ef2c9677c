namespace CoAP.NET.Messaging;

/// <summary>
/// Updates the times of a peer to its current parameters. Peers with the same parameters share them. Guarded by the shard's lock.
/// </summary>
internal sealed class TransmissionTimeCache
{
    private TransmissionTimes _last = new(CoapTransmissionParameters.Default);
    private uint _lastId;

    /// <summary>Returns the peer, with the times of its current parameters, and with an <see cref="PeerMessagingState.Id"/>.</summary>
    public CoapChannel Refresh(CoapChannel channel)
    {
        if (!ReferenceEquals(channel.Messaging.Times?.Parameters, channel.Parameters))
        {
            if (!channel.Messaging.IsUsed)
            {
                channel.Messaging.Id = ++_lastId == 0 ? ++_lastId : _lastId;
            }

            channel.Messaging.Times = Of(channel.Parameters);
        }

        return channel;
    }

    private TransmissionTimes Of(CoapTransmissionParameters parameters)
    {
        if (!ReferenceEquals(_last.Parameters, parameters))
        {
            _last = new TransmissionTimes(parameters);
        }

        return _last;
    }
}
