using System.Diagnostics.CodeAnalysis;
using GivingList = CoAP.NET.Shard.Chain<CoAP.NET.Shard.CoapTransmission, CoAP.NET.Messaging.WaitingPlace>;

namespace CoAP.NET.Messaging;

/// <summary>
/// The sent messages that an acknowledgement or reset can match, by peer and Message ID. Call every method under the shard's lock.
/// </summary>
internal sealed class OutstandingMessages
{
    // The tables of the peers refer to this one.
    private readonly SlotTable<CoapTransmission> _all = new();

    // Messages that only a reset can still match, in the order of sending.
    private GivingList _giving;

    /// <summary>The number of messages in the shard.</summary>
    public int Count => _all.Count;

    /// <summary>The oldest Non-confirmable message that only a reset can still match: the first to give way. Null for none.</summary>
    public CoapTransmission? FirstToGiveWay => _giving.First;

    /// <summary>Adds a message with a new Message ID.</summary>
    public void Add(CoapTransmission transmission, SendingState sending)
    {
        transmission.IsOutstanding = true;
        transmission.Place = _all.Add(transmission);
        AddMessageId(transmission, sending);
    }

    /// <summary>
    /// Marks a message, sent first or again, that only a reset can still match. If it loses its place, the reset is no longer recognized,
    /// which RFC 7252 section 4.3 does not guarantee anyway.
    /// </summary>
    /// <param name="transmission">The outstanding message.</param>
    public void GiveWayFrom(CoapTransmission transmission)
    {
        StopGivingWay(transmission);
        transmission.GivesWay = true;
        _giving.Append(transmission);
    }

    /// <summary>Makes a message known by its current Message ID too.</summary>
    public static void AddMessageId(CoapTransmission transmission, SendingState sending)
    {
        if (sending.Outstanding.IsFull)
        {
            sending.Outstanding.Grow();
        }

        sending.Outstanding.Set(transmission.Message.MessageId, transmission.Place);
    }

    /// <summary>Removes a message with all its Message IDs.</summary>
    public void Remove(CoapTransmission transmission, SendingState sending)
    {
        RemovePlace(transmission);
        sending.Outstanding.Remove(transmission.Message.MessageId);
        if (transmission.Superseded is { } superseded)
        {
            foreach (ushort messageId in superseded)
            {
                sending.Outstanding.Remove(messageId);
            }

            transmission.Superseded = null;
        }

        if (sending.Outstanding is { Count: 0, Capacity: > 16 })
        {
            sending.Outstanding.Rebuild(default, spare: 0);
        }
    }

    /// <summary>Removes all messages to a peer.</summary>
    /// <returns>The messages, each once.</returns>
    public List<CoapTransmission> RemoveAll(SendingState sending)
    {
        List<CoapTransmission> all = To(sending, int.MaxValue);
        all.ForEach(RemovePlace);
        sending.Outstanding = default;
        return all;
    }

    /// <summary>Finds the message to a peer by a current or earlier Message ID.</summary>
    public bool TryFind(CoapChannel channel, ushort messageId, [NotNullWhen(true)] out CoapTransmission? transmission)
    {
        transmission = null;
        if (channel.Messaging.Sending is { } sending && sending.Outstanding.Find(messageId) is var place and > 0)
        {
            transmission = _all[place];
        }

        return transmission is not null;
    }

    /// <summary>Whether an acknowledgement of a message to a peer may still arrive. Non-confirmable ones get none.</summary>
    public bool AwaitsAcknowledgement(CoapChannel channel)
    {
        if (channel.Messaging.Sending is { } sending)
        {
            foreach (ulong entry in sending.Outstanding.Entries)
            {
                if (entry != 0 && _all[MidTable.PlaceOf(entry)] is { Message.Type: CoapMessageType.Confirmable })
                {
                    return true;
                }
            }
        }

        return false;
    }

    /// <summary>Whether an answer to a request of a peer waits, or is not acknowledged.</summary>
    public bool OwesReply(CoapChannel channel) => channel.Messaging.Sending is { } sending
        && (sending.WaitingReplies.First is not null || To(sending, int.MaxValue).Exists(static transmission =>
            transmission is { IsReply: true, IsRenewable: false, Message.Type: CoapMessageType.Confirmable }));

    /// <summary>Returns the first messages to a peer, as a new list.</summary>
    public List<CoapTransmission> To(SendingState sending, int max)
    {
        List<CoapTransmission> all = [];
        HashSet<CoapTransmission> seen = [];
        foreach (ulong entry in sending.Outstanding.Entries)
        {
            // A message that replaced others has several Message IDs.
            if (entry != 0 && all.Count < max && _all[MidTable.PlaceOf(entry)] is { } transmission && seen.Add(transmission))
            {
                all.Add(transmission);
            }
        }

        return all;
    }

    /// <summary>Returns the first outstanding or waiting messages to a peer.</summary>
    public List<CoapTransmission> UnsettledTo(CoapChannel channel, int max)
    {
        if (channel.Messaging.Sending is not { } sending)
        {
            return [];
        }

        List<CoapTransmission> all = To(sending, max);
        for (CoapTransmission? reply = sending.WaitingReplies.First; reply is not null && all.Count < max; reply = reply.WaitingLinks.Next)
        {
            all.Add(reply);
        }

        for (CoapTransmission? waiting = sending.Waiting.First; waiting is not null && all.Count < max; waiting = waiting.WaitingLinks.Next)
        {
            all.Add(waiting);
        }

        return all;
    }

    private void StopGivingWay(CoapTransmission transmission)
    {
        if (transmission.GivesWay)
        {
            transmission.GivesWay = false;
            _giving.Remove(transmission);
        }
    }

    private void RemovePlace(CoapTransmission transmission)
    {
        StopGivingWay(transmission);
        _all.Remove(transmission.Place);
        transmission.IsOutstanding = false;
    }
}
