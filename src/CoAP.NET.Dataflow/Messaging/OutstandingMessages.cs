using System.Diagnostics.CodeAnalysis;
using GivingList = CoAP.NET.Shard.IntrusiveList<CoAP.NET.Shard.CoapTransmission, CoAP.NET.Messaging.WaitingTransmissionLinksAccessor>;

namespace CoAP.NET.Messaging;

/// <summary>
/// The sent messages that an acknowledgement or reset can match, by peer and Message ID. Call every method under the shard's lock.
/// </summary>
internal sealed class OutstandingMessages
{
    private readonly Dictionary<ulong, CoapTransmission> _byMessageId = [];

    // Messages that only a reset can still match, in the order of sending.
    private GivingList _giving;

    public int Count { get; private set; }

    /// <summary>The oldest Non-confirmable message that only a reset can still match: the first to be evicted. Null for none.</summary>
    public CoapTransmission? FirstToEvict => _giving.First;

    public void Add(CoapTransmission transmission, PeerSendingState sending)
    {
        transmission.IsOutstanding = true;
        Count++;
        sending.Outstanding.Append(transmission);
        AddMessageId(transmission, sending);
    }

    /// <summary>
    /// Marks a message, sent first or again, that only a reset can still match. If it loses its place, the reset is no longer recognized,
    /// which RFC 7252 section 4.3 does not guarantee anyway.
    /// </summary>
    public void EvictFrom(CoapTransmission transmission)
    {
        StopEvicting(transmission);
        transmission.IsEvictable = true;
        _giving.Append(transmission);
    }

    /// <summary>Makes a message known by its current Message ID too.</summary>
    public void AddMessageId(CoapTransmission transmission, PeerSendingState sending) =>
        _byMessageId[sending.Peer.Messaging.KeyOf(transmission.Message.MessageId)] = transmission;

    /// <summary>Makes a message no longer known by one of its Message IDs.</summary>
    public void RemoveMessageId(ushort messageId, PeerSendingState sending) => _byMessageId.Remove(sending.Peer.Messaging.KeyOf(messageId));

    public void Remove(CoapTransmission transmission, PeerSendingState sending)
    {
        StopEvicting(transmission);
        transmission.IsOutstanding = false;
        Count--;
        sending.Outstanding.Remove(transmission);
        RemoveMessageId(transmission.Message.MessageId, sending);
        foreach (ushort messageId in transmission.Superseded ?? [])
        {
            RemoveMessageId(messageId, sending);
        }

        transmission.Superseded = null;
    }

    public List<CoapTransmission> RemoveAll(PeerSendingState sending)
    {
        List<CoapTransmission> all = To(sending, int.MaxValue);
        all.ForEach(transmission => Remove(transmission, sending));
        return all;
    }

    /// <summary>Finds the message to a peer by a current or earlier Message ID.</summary>
    public bool TryFind(CoapChannel channel, ushort messageId, [NotNullWhen(true)] out CoapTransmission? transmission) =>
        _byMessageId.TryGetValue(channel.Messaging.KeyOf(messageId), out transmission);

    /// <summary>Whether an acknowledgement of a message to a peer may still arrive. Non-confirmable ones get none.</summary>
    public static bool AwaitsAcknowledgement(CoapChannel channel)
    {
        CoapTransmission? one = channel.Messaging.Sending?.Outstanding.First;
        while (one is not null && one.Message.Type != CoapMessageType.Confirmable)
        {
            one = one.OutstandingTransmissionLinks.Next;
        }

        return one is not null;
    }

    /// <summary>Whether an answer to a request of a peer waits, or is not acknowledged.</summary>
    public static bool OwesReply(CoapChannel channel) => channel.Messaging.Sending is { } sending
        && (sending.WaitingReplies.First is not null || To(sending, int.MaxValue).Exists(static transmission =>
            transmission is { IsReply: true, IsRenewable: false, Message.Type: CoapMessageType.Confirmable }));

    /// <summary>Returns the first outstanding or waiting messages to a peer.</summary>
    public static List<CoapTransmission> UnsettledTo(CoapChannel channel, int max)
    {
        if (channel.Messaging.Sending is not { } sending)
        {
            return [];
        }

        List<CoapTransmission> all = To(sending, max);
        for (CoapTransmission? reply = sending.WaitingReplies.First; reply is not null
            && all.Count < max; reply = reply.WaitingTransmissionLinks.Next)
        {
            all.Add(reply);
        }

        for (CoapTransmission? waiting = sending.Waiting.First; waiting is not null
            && all.Count < max; waiting = waiting.WaitingTransmissionLinks.Next)
        {
            all.Add(waiting);
        }

        return all;
    }

    private void StopEvicting(CoapTransmission transmission)
    {
        if (transmission.IsEvictable)
        {
            transmission.IsEvictable = false;
            _giving.Remove(transmission);
        }
    }

    private static List<CoapTransmission> To(PeerSendingState sending, int max)
    {
        List<CoapTransmission> all = [];
        for (CoapTransmission? one = sending.Outstanding.First; one is not null
            && all.Count < max; one = one.OutstandingTransmissionLinks.Next)
        {
            all.Add(one);
        }

        return all;
    }
}
