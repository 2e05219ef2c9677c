using CoAP.NET.Messaging;

namespace CoAP.NET.Tests.Messaging.Timing;

/// <summary>What tests of a timing say, in seconds. Nothing is dithered.</summary>
public abstract class TimingTest
{
    private readonly CoapChannel _channel = new MessagingRig().Channel();
    private RoundTripEstimate _roundTrip;

    private protected PeerTimes Times { get; set; } = new(CoapTransmissionParameters.Default);

    private protected abstract PeerTiming Timing { get; }

    /// <summary>The time that has passed.</summary>
    private protected double Now { get; set; } = 1000;

    private protected ref readonly RoundTripEstimate RoundTrip => ref _roundTrip;

    /// <summary>A message that is answered after a while, after some further copies.</summary>
    private protected void Answer(double elapsed, int retransmissions = 0)
    {
        if (retransmissions == 0)
        {
            _roundTrip.Add(Ticks(elapsed));
        }

        Timing.OnAnswered(Ticks(elapsed), retransmissions, Times, _roundTrip, Ticks(Now));
    }

    /// <summary>The waits of a message that nobody answers.</summary>
    private protected double[] Waits(int count, int interactions = 1)
    {
        CoapTransmission transmission = new(_channel, new CoapMessage(CoapCode.Get), null) { Attempts = 1 };
        double[] waits = new double[count];
        transmission.Timeout = Timing.FirstWait(transmission, Times, _roundTrip, interactions, 1, Ticks(Now));
        waits[0] = Seconds(transmission.Timeout);
        for (int i = 1; i < count; i++)
        {
            transmission.Attempts++;
            transmission.Timeout = Timing.NextWait(transmission, Times, _roundTrip, 1, Ticks(Now));
            waits[i] = Seconds(transmission.Timeout);
        }

        return waits;
    }

    private protected static double Seconds(long ticks) => ticks / (double)TimeSpan.TicksPerSecond;

    private protected static long Ticks(double seconds) => (long)Math.Round(seconds * TimeSpan.TicksPerSecond);
}
