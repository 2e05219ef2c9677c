using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <summary>What every stage of an endpoint shares: clock, entropy, execution, bounds, counters, log.</summary>
internal sealed class CoapEnvironment
{
    public required TimeProvider TimeProvider { get; init; }

    public required CoapRandomSource Random { get; init; }

    public required CoapScheduler Scheduler { get; init; }

    /// <summary>What processes share from which keys follow; null: none.</summary>
    public SharedSecret? Secret { get; init; }

    /// <summary>How many handlers may compute on threads of the library; null where a user decides about threads.</summary>
    public HandlerThreads? HandlerThreads { get; init; }

    /// <summary>What runs the continuations of those who wait for responses; null: the runtime does.</summary>
    public CoapScheduler? Continuations => Scheduler.TakesContinuations ? Scheduler : null;

    /// <summary>How to make what others wait for, when it is completed by <see cref="Tell"/>.</summary>
    public TaskCreationOptions CompletionOptions =>
        Scheduler.TakesContinuations ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously;

    public required CoapLimits Limits { get; init; }

    public required CoapCounters Counters { get; init; }

    public required ILogger Logger { get; init; }

    /// <summary>The parameters of a peer that is met for the first time.</summary>
    public required Func<Transports.CoapAddress, CoapTransmissionParameters> ParametersOf { get; init; }

    /// <summary>What is measured of requests.</summary>
    public EndpointTelemetry Telemetry { get; init; } = EndpointTelemetry.None;

    /// <summary>The wire traces.</summary>
    public WireTaps Taps { get; } = new();

    /// <summary>With which peers Q-Block1 and Q-Block2 are used.</summary>
    public CoapQBlock QBlock { get; init; }

    /// <summary>Which peers count as one.</summary>
    public CoapSourceRule Sources { get; init; } = CoapSourceRule.Default;

    /// <summary>How connections are kept.</summary>
    public CoapStreamOptions Streams { get; init; } = new();

    /// <summary>Now, in units of 100 ns, from an arbitrary beginning; monotonic.</summary>
    public long Now
    {
        get
        {
            // Only of the system's clock: there a receive loop keeps the time of the datagram at hand.
            if (!ReferenceEquals(TimeProvider, TimeProvider.System))
            {
                return ReadClock();
            }

            if (!StageTime.TryGet(out long now))
            {
                now = ReadClock();
                StageTime.Keep(now);
            }

            return now;
        }
    }

    /// <summary>
    /// The same, never older than the call. For whoever sets a timer: one that is set by an old time is late by the age of that time.
    /// </summary>
    public long ReadClock() => ReadClock(TimeProvider);

    /// <summary>A clock, in units of 100 ns, from an arbitrary beginning.</summary>
    /// <param name="time">The clock.</param>
    public static long ReadClock(TimeProvider time) => time.TimestampFrequency switch
    {
        TimeSpan.TicksPerSecond => time.GetTimestamp(),
        1_000_000_000 => time.GetTimestamp() / 100,
        long frequency => (long)((Int128)time.GetTimestamp() * TimeSpan.TicksPerSecond / frequency),
    };

    /// <summary>Completes what others wait for. Their continuations do not run within this.</summary>
    /// <param name="complete">Completes it.</param>
    /// <param name="state">Passed to it.</param>
    public void Tell(Action<object?> complete, object? state)
    {
        if (Continuations?.Queue(complete, state) != true)
        {
            complete(state);
        }
    }
}
