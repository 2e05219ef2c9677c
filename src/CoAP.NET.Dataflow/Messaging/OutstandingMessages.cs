using System.Diagnostics.CodeAnalysis;
using GivingList = CoAP.NET.Shard.Chain<CoAP.NET.Shard.CoapTransmission, CoAP.NET.Messaging.WaitingPlace>;

namespace CoAP.NET.Messaging;

/// <summary>
/// The messages of ours that an acknowledgement or reset can match, by peer and Message ID. Every method must be called under the shard's
/// lock.
/// </summary>
internal sealed class OutstandingMessages
{
    // The tables of the peers point here.
    private readonly SlotTable<CoapTransmission> _all = new();

    // Those of which nothing but a reset is to come, in the order in which they were sent.
    private GivingList _giving;

    /// <summary>How many there are in the shard.</summary>
    public int Count => _all.Count;

    /// <summary>
    /// The Non-confirmable message sent longest ago of which nothing but a reset is to come: the first to give way. Null for none.
    /// </summary>
    public CoapTransmission? FirstToGiveWay => _giving.First;

    /// <summary>Takes in a message that was given its Message ID.</summary>
    public void Add(CoapTransmission transmission, SendingState sending)
    {
        transmission.IsOutstanding = true;
        transmission.Place = _all.Add(transmission);
        AddMessageId(transmission, sending);
    }

    /// <summary>
    /// A message was sent, or sent anew, of which nothing but a reset is to come. What it loses with its place is that the reset is
    /// understood, and RFC 7252 section 4.3 promises nobody that.
    /// </summary>
    /// <param name="transmission">The message, which is outstanding.</param>
    public void GiveWayFrom(CoapTransmission transmission)
    {
        StopGivingWay(transmission);
        transmission.GivesWay = true;
        _giving.Append(transmission);
    }

    /// <summary>Has a message found by the Message ID that it has now as well.</summary>
    public static void AddMessageId(CoapTransmission transmission, SendingState sending)
    {
        if (sending.Outstanding.IsFull)
        {
            sending.Outstanding.Grow();
        }

        sending.Outstanding.Set(transmission.Message.MessageId, transmission.Place);
    }

    /// <summary>Takes a message out, with all its Message IDs.</summary>
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

    /// <summary>Takes all messages to a peer out.</summary>
    /// <returns>The messages, each once.</returns>
    public List<CoapTransmission> RemoveAll(SendingState sending)
    {
        List<CoapTransmission> all = To(sending, int.MaxValue);
        all.ForEach(RemovePlace);
        sending.Outstanding = default;
        return all;
    }

    /// <summary>Finds the message to a peer that has, or had, a Message ID.</summary>
    public bool TryFind(CoapChannel channel, ushort messageId, [NotNullWhen(true)] out CoapTransmission? transmission)
    {
        transmission = null;
        if (channel.Messaging.Sending is { } sending && sending.Outstanding.Find(messageId) is var place and > 0)
        {
            transmission = _all[place];
        }

        return transmission is not null;
    }

    /// <summary>Whether an acknowledgement of a message to a peer may still come. Of Non-confirmable ones nothing is to come.</summary>
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

    /// <summary>The messages to a peer, the first so many, as a list of its own.</summary>
    public List<CoapTransmission> To(SendingState sending, int max)
    {
        List<CoapTransmission> all = [];
        HashSet<CoapTransmission> seen = [];
        foreach (ulong entry in sending.Outstanding.Entries)
        {
            // One that took the place of others has several Message IDs.
            if (entry != 0 && all.Count < max && _all[MidTable.PlaceOf(entry)] is { } transmission && seen.Add(transmission))
            {
                all.Add(transmission);
            }
        }

        return all;
    }

    /// <summary>Messages of ours to a peer that are outstanding or wait, the first so many.</summary>
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
