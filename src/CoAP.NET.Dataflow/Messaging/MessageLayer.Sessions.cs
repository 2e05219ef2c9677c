using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// Security sessions over datagrams (RFC 7252 section 9.1), which end, while an address does not.
internal sealed partial class MessageLayer
{
    /// <summary>Like <see cref="Receive"/>; but what comes late in a session that has ended is nobody's.</summary>
    public bool ReceiveUnlessEnded(in CoapInbound item, long now, out CoapInbound up)
    {
        if (item.Channel is { IsConnection: true, IsForgotten: true })
        {
            up = default;
            _counters.Add(CoapCounter.Ignored);
            return false;
        }

        return Receive(item, now, out up);
    }

    /// <summary>Something was to go to a session that has ended: nothing leaves, and nothing of it is kept. Whoever waits is told.</summary>
    public void SendToEnded(in CoapOutbound item, long now)
    {
        if (item.Reception is { } reception)
        {
            _shard.Wheel.Cancel(reception);
            reception.State = CoapReceptionState.Replied;
        }

        if (item is not { Kind: CoapOutboundKind.Message, Transmission: { IsOver: false } transmission })
        {
            return;
        }

        transmission.IsOver = true;
        if (transmission.Source is { } source)
        {
            source.OnEnded(transmission, CoapInboundKind.Disconnected, now);
        }
        else if (transmission.Owner is not null)
        {
            _shard.Raise(new CoapInbound
            {
                Channel = item.Channel,
                Kind = CoapInboundKind.Disconnected,
                Transmission = transmission,
                Reason = item.Channel.EndReason,
            });
        }
    }

    /// <summary>Whether nothing is under way with a peer: it has no request that is being served, and no message to it waits for its turn or for an acknowledgement.</summary>
    public bool IsQuiet(CoapChannel channel)
    {
        if (RunningOf(channel) > 0 || WaitingFor(channel) > 0)
        {
            return false;
        }

        if (channel.Messaging.Sending is { } sending)
        {
            foreach (ulong entry in sending.Outstanding.Entries)
            {
                // Of Non-confirmable ones nothing is to come.
                if (entry != 0 && _transmissions[MidTable.PlaceOf(entry)] is { Message.Type: CoapMessageType.Confirmable })
                {
                    return false;
                }
            }
        }

        return true;
    }
}
