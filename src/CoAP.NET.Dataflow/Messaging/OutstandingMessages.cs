using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Messaging;

/// <summary>
/// The messages of ours that an acknowledgement or reset can match, by peer and Message ID. Every method must be called under the shard's
/// lock.
/// </summary>
internal sealed class OutstandingMessages
{
    // The tables of the peers point here.
    private readonly SlotTable<CoapTransmission> _all = new();

    /// <summary>How many there are in the shard.</summary>
    public int Count => _all.Count;

    /// <summary>Takes in a message that was given its Message ID.</summary>
    public void Add(CoapTransmission transmission, SendingState sending)
    {
        transmission.IsOutstanding = true;
        transmission.Place = _all.Add(transmission);
        AddMessageId(transmission, sending);
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

    private void RemovePlace(CoapTransmission transmission)
    {
        _all.Remove(transmission.Place);
        transmission.IsOutstanding = false;
    }
}
