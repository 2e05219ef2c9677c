using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// What people may see of a peer.
internal sealed partial class MessageLayer
{
    /// <summary>Messages of ours to a peer that are outstanding or wait, the first so many.</summary>
    public List<CoapTransmission> UnsettledTo(CoapChannel channel, int max)
    {
        List<CoapTransmission> all = [];
        if (channel.Messaging.Sending is not { } sending)
        {
            return all;
        }

        foreach (ulong entry in sending.Outstanding.Entries)
        {
            // One that took the place of others has several Message IDs.
            if (entry != 0 && all.Count < max && _transmissions[MidTable.PlaceOf(entry)] is { } transmission && !all.Contains(transmission))
            {
                all.Add(transmission);
            }
        }

        for (CoapTransmission? reply = sending.WaitingReplies.First; reply is not null && all.Count < max; reply = reply.NextWaiting)
        {
            all.Add(reply);
        }

        for (CoapTransmission? waiting = sending.Waiting.First; waiting is not null && all.Count < max; waiting = waiting.NextWaiting)
        {
            all.Add(waiting);
        }

        return all;
    }

    /// <summary>How long the first copy of a Confirmable message to a peer waits at least, without back-off.</summary>
    public static TimeSpan TimeoutOf(CoapChannel channel, long now) =>
        channel.Messaging is { Times: { } times, Sending: { Timing: { } timing } sending } && times.Timing != CoapRetransmissionTiming.Default
            ? TimeSpan.FromTicks(timing.Squeezed(times, sending.RoundTrip, now))
            : channel.Parameters.AckTimeout;
}
