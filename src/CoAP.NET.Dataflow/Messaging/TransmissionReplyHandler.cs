using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Net.Sockets;

namespace CoAP.NET.Messaging;

/// <summary>
/// Handles the replies of peers, and of the network, to sent messages: RFC 7252 sections 4.2 and 5.2. Call every method under the shard's
/// lock.
/// </summary>
internal sealed class TransmissionReplyHandler
{
    private readonly CoapShard _shard;
    private readonly CoapCounters _counters;
    private readonly TransmissionTimeCache _times;
    private readonly MessageTransmitter _transmissions;
    private readonly OutstandingMessages _outstanding;
    private readonly TransmissionRenewal _renewals;

    public TransmissionReplyHandler(
        CoapShard shard, TransmissionTimeCache times, MessageTransmitter transmissions, OutstandingMessages outstanding,
        TransmissionRenewal renewals)
    {
        _shard = shard;
        _counters = shard.Environment.Counters;
        _times = times;
        _transmissions = transmissions;
        _outstanding = outstanding;
        _renewals = renewals;
    }

    /// <summary>
    /// Handles a report of the peer's host that its port is unreachable. Fails only the quoted message (RFC 7252 section 4.2).
    /// </summary>
    /// <param name="channel">The peer.</param>
    /// <param name="quoted">The beginning of the sent datagram.</param>
    public void Unreachable(CoapChannel channel, ReadOnlySpan<byte> quoted)
    {
        if (TryFindQuoted(channel, quoted, out CoapTransmission? transmission))
        {
            _counters.Add(CoapCounter.PortUnreachable);
            channel.NoteDrop(CoapCounter.PortUnreachable);
            long now = _shard.Environment.Now;

            // A host that reports its port is not silent: what it refused delays no later message.
            SendPacing.Uncharge(transmission, transmission.Attempts * (transmission.Encoded?.Length ?? 0), now);
            _transmissions.End(transmission, now);
            _transmissions.Raise(CoapInboundKind.Unreachable, transmission);
        }
    }

    /// <summary>Handles a datagram that the operating system refused for a permanent reason.</summary>
    public void SendFailed(CoapChannel channel, ReadOnlySpan<byte> bytes, SocketError error)
    {
        if (TryFindQuoted(channel, bytes, out CoapTransmission? transmission))
        {
            long now = _shard.Environment.Now;
            transmission.SendError = error;
            SendPacing.Uncharge(transmission, bytes.Length, now);
            _transmissions.End(transmission, now);
            _transmissions.Raise(CoapInboundKind.SendFailed, transmission);
        }
    }

    /// <summary>Handles an acknowledgement.</summary>
    /// <returns>Whether it goes up because it carries a response.</returns>
    public bool ReceiveAcknowledgement(in CoapInbound item, CoapCode code, long now, out CoapInbound up)
    {
        up = default;
        if (code.IsRequest || code.IsReserved)
        {
            _counters.Add(CoapCounter.Ignored);
            item.Channel.NoteDrop(CoapCounter.Ignored);
            return false;
        }

        if (!_outstanding.TryFind(item.Channel, item.MessageId, out CoapTransmission? transmission)
            || transmission.Message.Type != CoapMessageType.Confirmable)
        {
            OnUnmatched(item.Channel, item.MessageId, now);
            return false;
        }

        if (item.MessageId != transmission.Message.MessageId)
        {
            CoapChannel known = _times.Refresh(item.Channel);
            _renewals.OnSupersededAcknowledged(transmission, item.MessageId, known, now);
            _transmissions.OnHeard(known, now);
            return false;
        }

        // An acknowledgement can carry an answer only to a request. For a sent response it is a plain acknowledgement (section 5.2.2).
        bool carriesResponse = code.IsResponse && transmission.Message.Code.IsRequest;
        if (carriesResponse && item.Message!.Token != transmission.Message.Token)
        {
            _counters.Add(CoapCounter.UnmatchedResponses);
            item.Channel.NoteDrop(CoapCounter.UnmatchedResponses);
            if (transmission.IsStateless)
            {
                // The message has arrived; the content of the acknowledgement answers nothing.
                _transmissions.End(transmission, now);
            }

            return false;
        }

        CoapChannel peer = _times.Refresh(item.Channel);
        SendPacing.OnAnswered(transmission, peer, now);
        _transmissions.OnHeard(peer, now);
        _shard.Guard.OnAcknowledged(item.Channel, transmission.SentAt);
        _transmissions.End(transmission, now);
        if (carriesResponse)
        {
            up = item with { Transmission = transmission };
            return true;
        }

        _transmissions.Raise(CoapInboundKind.Acknowledged, transmission);
        return false;
    }

    public void ReceiveReset(in CoapInbound item, CoapCode code, long now)
    {
        if (!code.IsEmpty)
        {
            _counters.Add(CoapCounter.Ignored);
            item.Channel.NoteDrop(CoapCounter.Ignored);
            return;
        }

        if (!_outstanding.TryFind(item.Channel, item.MessageId, out CoapTransmission? transmission))
        {
            OnUnmatched(item.Channel, item.MessageId, now);
            return;
        }

        CoapChannel peer = _times.Refresh(item.Channel);
        SendPacing.OnAnswered(transmission, peer, now);
        _transmissions.OnHeard(peer, now);
        _transmissions.End(transmission, now);
        _transmissions.Raise(CoapInboundKind.Reset, transmission);
    }

    // An answer to a cancelled message shows that the peer is there. Otherwise the next request would wait as long as to a peer that never
    // responds (RFC 7252 section 4.7).
    private void OnUnmatched(CoapChannel channel, ushort messageId, long now)
    {
        if (channel.Messaging.Sending is { } sending && sending.CancelledId == messageId)
        {
            sending.CancelledId = PeerSendingState.NoId;
            _transmissions.OnHeard(_times.Refresh(channel), now);
            return;
        }

        _counters.Add(CoapCounter.UnmatchedAcknowledgements);
        channel.NoteDrop(CoapCounter.UnmatchedAcknowledgements);
        _shard.Guard.OnUnmatched(channel);
    }

    private bool TryFindQuoted(CoapChannel channel, ReadOnlySpan<byte> quoted, [NotNullWhen(true)] out CoapTransmission? transmission)
    {
        transmission = null;
        return quoted.Length >= 4 && quoted[0] >> 6 == 1
            && _outstanding.TryFind(channel, BinaryPrimitives.ReadUInt16BigEndian(quoted[2..]), out transmission)
            && (int)transmission.Message.Type == ((quoted[0] >> 4) & 3)
            && transmission.Message.Code.Value == quoted[1];
    }
}
