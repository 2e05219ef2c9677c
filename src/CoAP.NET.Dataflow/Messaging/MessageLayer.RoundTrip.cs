using CoAP.NET.Channels;

namespace CoAP.NET.Messaging;

// How long a peer takes to acknowledge or reject messages of ours.
internal sealed partial class MessageLayer
{
    // RFC 6298 section 2: SRTT moves an eighth of the way to each sample.
    private const int SmoothingShift = 3;

    /// <summary>The smoothed round-trip time to a peer, from Confirmable messages of ours that were sent once and answered; null without one.</summary>
    public static TimeSpan? RttOf(CoapChannel channel) =>
        (channel.MessagingState as MessagingState)?.Sending is { RoundTrip: >= 0 and var ticks } ? TimeSpan.FromTicks(ticks) : null;

    /// <summary>A message of ours was acknowledged or rejected.</summary>
    private static void OnAnswered(CoapTransmission transmission, long now)
    {
        // After a retransmission nobody knows which copy was answered (Karn's rule); a Non-confirmable message is rejected when somebody gets around to it.
        if (transmission.Attempts == 1 && transmission.Message.Type == CoapMessageType.Confirmable
            && transmission.Channel.MessagingState is MessagingState { Sending: { } sending })
        {
            long sample = Math.Max(0, now - transmission.SentAt);
            sending.RoundTrip = sending.RoundTrip < 0 ? sample : sending.RoundTrip + ((sample - sending.RoundTrip) >> SmoothingShift);
        }
    }
}
