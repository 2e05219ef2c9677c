using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Net.Sockets;
using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// What peers say to messages of ours: RFC 7252 sections 4.2 and 5.2.
internal sealed partial class MessageLayer
{
    /// <summary>The peer's host reported its port unreachable and quoted a datagram of ours. Fails only the message that it quotes (RFC 7252 section 4.2).</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="quoted">The beginning of our datagram.</param>
    public void Unreachable(CoapChannel channel, ReadOnlySpan<byte> quoted)
    {
        if (TryFindQuoted(channel, quoted, out CoapTransmission? transmission))
        {
            _counters.Add(CoapCounter.PortUnreachable);
            channel.NoteDrop(CoapCounter.PortUnreachable);
            End(transmission, _shard.Environment.Now);
            RaiseEvent(CoapInboundKind.Unreachable, transmission);
        }
    }

    /// <summary>The operating system refused a datagram of ours for a reason that copies will meet as well.</summary>
    /// <param name="channel">The peer.</param>
    /// <param name="bytes">Our datagram.</param>
    /// <param name="error">What the operating system said.</param>
    public void SendFailed(CoapChannel channel, ReadOnlySpan<byte> bytes, SocketError error)
    {
        if (TryFindQuoted(channel, bytes, out CoapTransmission? transmission))
        {
            long now = _shard.Environment.Now;
            transmission.SendError = error;
            Uncharge(transmission, bytes.Length, now);
            End(transmission, now);
            RaiseEvent(CoapInboundKind.SendFailed, transmission);
        }
    }

    private bool TryFindQuoted(CoapChannel channel, ReadOnlySpan<byte> quoted, [NotNullWhen(true)] out CoapTransmission? transmission)
    {
        transmission = null;
        return quoted.Length >= 4 && quoted[0] >> 6 == 1
            && TryFind(channel, BinaryPrimitives.ReadUInt16BigEndian(quoted[2..]), out transmission)
            && (int)transmission.Message.Type == ((quoted[0] >> 4) & 3)
            && transmission.Message.Code.Value == quoted[1];
    }

    private bool ReceiveAcknowledgement(in CoapInbound item, CoapCode code, long now, out CoapInbound up)
    {
        up = default;
        if (code.IsRequest || code.IsReserved)
        {
            _counters.Add(CoapCounter.Ignored);
            item.Channel.NoteDrop(CoapCounter.Ignored);
            return false;
        }

        if (!TryFind(item.Channel, item.MessageId, out CoapTransmission? transmission) || transmission.Message.Type != CoapMessageType.Confirmable)
        {
            OnUnmatched(item.Channel, item.MessageId, now);
            return false;
        }

        if (item.MessageId != transmission.Message.MessageId)
        {
            OnSupersededAcknowledged(transmission, item.MessageId, now);
            return false;
        }

        // Only a request can be answered by what an acknowledgement carries. To a response of ours it is an acknowledgement and nothing else (section 5.2.2).
        bool carriesResponse = code.IsResponse && transmission.Message.Code.IsRequest;
        if (carriesResponse && item.Message!.Token != transmission.Message.Token)
        {
            _counters.Add(CoapCounter.UnmatchedResponses);
            item.Channel.NoteDrop(CoapCounter.UnmatchedResponses);
            if (transmission.IsStateless)
            {
                // The message has arrived; what it carries answers nothing of ours.
                End(transmission, now);
            }

            return false;
        }

        CoapChannel peer = Refresh(item.Channel);
        OnAnswered(transmission, peer, now);
        OnHeard(peer, now);
        _shard.Guard.OnAcknowledged(item.Channel, transmission.SentAt);
        End(transmission, now);
        if (carriesResponse)
        {
            up = item with { Transmission = transmission };
            return true;
        }

        RaiseEvent(CoapInboundKind.Acknowledged, transmission);
        return false;
    }

    // What answers a message that was cancelled shows that the peer is there: otherwise the next request waited as long as to one that never responds (RFC 7252 section 4.7).
    private void OnUnmatched(CoapChannel channel, ushort messageId, long now)
    {
        if (channel.Messaging.Sending is { } sending && sending.CancelledId == messageId)
        {
            sending.CancelledId = SendingState.NoId;
            OnHeard(Refresh(channel), now);
            return;
        }

        _counters.Add(CoapCounter.UnmatchedAcknowledgements);
        channel.NoteDrop(CoapCounter.UnmatchedAcknowledgements);
        _shard.Guard.OnUnmatched(channel);
    }

    private void ReceiveReset(in CoapInbound item, CoapCode code, long now)
    {
        if (!code.IsEmpty)
        {
            _counters.Add(CoapCounter.Ignored);
            item.Channel.NoteDrop(CoapCounter.Ignored);
            return;
        }

        if (!TryFind(item.Channel, item.MessageId, out CoapTransmission? transmission))
        {
            OnUnmatched(item.Channel, item.MessageId, now);
            return;
        }

        CoapChannel peer = Refresh(item.Channel);
        OnAnswered(transmission, peer, now);
        OnHeard(peer, now);
        End(transmission, now);
        RaiseEvent(CoapInboundKind.Reset, transmission);
    }

    private bool TryFind(CoapChannel channel, ushort messageId, [NotNullWhen(true)] out CoapTransmission? transmission)
    {
        transmission = null;
        if (channel.Messaging.Sending is { } sending && sending.Outstanding.Find(messageId) is var place and > 0)
        {
            transmission = _transmissions[place];
        }

        return transmission is not null;
    }
}
