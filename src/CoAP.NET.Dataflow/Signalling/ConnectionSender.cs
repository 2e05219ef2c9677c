namespace CoAP.NET.Signalling;

/// <summary>
/// Sends messages on a connection: no types, no Message IDs, no copies (RFC 8323 section 3.1). A message counts as delivered when the
/// transport has it. Under the shard's lock.
/// </summary>
internal sealed class ConnectionSender(CoapShard shard, ConnectionPings pings)
{
    private const int WaitingAtOnce = 16;

    /// <summary>Sends an item that is more than a plain message.</summary>
    public void Send(in CoapOutbound item, long now)
    {
        StreamState state = (StreamState)ConnectionSignallingState.Of(item.Channel)!;
        switch (item.Kind)
        {
            case CoapOutboundAction.Message when item.Transmission is { IsOver: false, IsQueued: false } transmission:
                SendOwn(state, transmission, now);
                break;
            case CoapOutboundAction.Message when item.Transmission is null && item.Message is not null && !state.IsOver:
                shard.Post(item);
                break;
            case CoapOutboundAction.Cancel when item.Transmission is { } cancelled:
                Cancel(state, cancelled);
                break;
            default:
                // Nothing is acknowledged or rejected on connections.
                break;
        }
    }

    /// <summary>Handles a connection that accepts frames again.</summary>
    /// <returns>Whether more messages wait.</returns>
    public bool SendWaiting(CoapChannel channel, long now)
    {
        if (ConnectionSignallingState.Of(channel) is not StreamState { IsOver: false } state)
        {
            return false;
        }

        for (int i = 0; i < WaitingAtOnce && state.Waiting.First is { } first; i++)
        {
            state.Waiting.RemoveFirst();
            first.Value.IsQueued = false;
            SendNewest(state, first.Value, now);
        }

        return state.Waiting.Count > 0;
    }

    public void Settle(CoapTransmission transmission, CoapInboundKind kind, StreamState state, long now)
    {
        transmission.IsOver = true;
        if (transmission.IsAwaited
            && (kind != CoapInboundKind.Acknowledged || transmission.ReportsSent || transmission.IsRenewable))
        {
            shard.Raise(new CoapInbound { Channel = state.Channel, Kind = kind, Transmission = transmission, Reason = state.Reason });
        }
    }

    private void SendOwn(StreamState state, CoapTransmission transmission, long now)
    {
        if (state.IsOver)
        {
            Settle(transmission, CoapInboundKind.Disconnected, state, now);
        }
        else if (!transmission.IsRenewable && transmission.Message.Code.IsEmpty)
        {
            pings.Send(state, transmission, now);
        }
        else if (state.IsReleasing && transmission.Message.Code.IsRequest)
        {
            // RFC 8323 section 5.5: the peer might close at any time and miss it.
            Settle(transmission, CoapInboundKind.Disconnected, state, now);
        }
        else if (!transmission.IsRenewable)
        {
            transmission.Attempts = 1;
            transmission.SentAt = now;
            state.LastUsed = now;
            state.Post(transmission.Message);
            Settle(transmission, CoapInboundKind.Acknowledged, state, now);
        }
        else if (state.Channel.Connection!.IsCongested)
        {
            // By the time there is room, only the newest state matters.
            transmission.IsQueued = true;
            state.Waiting.AddLast(transmission);
        }
        else
        {
            SendNewest(state, transmission, now);
        }
    }

    private void SendNewest(StreamState state, CoapTransmission transmission, long now)
    {
        if (transmission.IsOver)
        {
            return;
        }

        if (transmission.AwaitsProtection)
        {
            Settle(transmission, CoapInboundKind.NotSent, state, now);
            return;
        }

        if (transmission.TakeNewest(now) is not { } message)
        {
            transmission.IsOver = true;
            return;
        }

        transmission.Attempts = 1;
        transmission.Message = message;
        state.Post(message);
        Settle(transmission, CoapInboundKind.Acknowledged, state, now);
    }

    private static void Cancel(StreamState state, CoapTransmission transmission)
    {
        if (transmission.IsQueued)
        {
            state.Waiting.Remove(transmission);
            transmission.IsQueued = false;
        }
        else if (transmission is { IsOver: false, Message.Code: var code } && code == CoapCode.Ping)
        {
            // No caller waits for the Pong any more.
            state.Pings?.Remove(transmission.Message.Token);
        }

        transmission.IsOver = true;
    }
}
