using Microsoft.Extensions.Logging;

namespace CoAP.NET.Execution;

/// <summary>The objects that all stages of an endpoint share: clock, entropy, execution, limits, counters, log.</summary>
internal sealed class CoapEnvironment
{
    public required TimeProvider TimeProvider { get; init; }

    public required CoapRandomSource Random { get; init; }

    public required CoapThreadScheduler Scheduler { get; init; }

    /// <summary>The secret that processes share, from which keys derive; null for none.</summary>
    public SharedSecret? Secret { get; init; }

    /// <summary>The scheduler for continuations of responses; null for the runtime's default.</summary>
    public CoapThreadScheduler? Continuations => Scheduler.TakesContinuations ? Scheduler : null;

    /// <summary>The options for task completion sources that <see cref="Report"/> completes.</summary>
    public TaskCreationOptions CompletionOptions =>
        Scheduler.TakesContinuations ? TaskCreationOptions.None : TaskCreationOptions.RunContinuationsAsynchronously;

    public required CoapLimits Limits { get; init; }

    public required CoapCounters Counters { get; init; }

    public required ILogger Logger { get; init; }

    public CoapOptionRegistry Registry { get; init; } = CoapOptionRegistry.Default;

    public required Func<CoapAddress, CoapTransmissionParameters> ParametersOf { get; init; }

    public EndpointTelemetry Telemetry { get; init; } = EndpointTelemetry.None;

    public WireTaps Taps { get; } = new();

    /// <summary>Limits the log of refused arguments, which any peer can cause.</summary>
    public RateLimitedLog LoggedRefusals => field ?? Interlocked.CompareExchange(ref field, new(TimeProvider, 60), null) ?? field;

    /// <summary>Whether Q-Block1 and Q-Block2 are used with all peers; false for those on secured channels, null for none.</summary>
    public bool? AllowsUnsecuredQBlock { get; init; }

    public CoapSourceGroupingRule Sources { get; init; } = CoapSourceGroupingRule.Default;

    /// <summary>
    /// Whether it runs in a page of a browser: only WebSockets leave it, names of hosts are not resolved, and there is one thread.
    /// </summary>
    public bool IsInBrowser
    {
        // The first is a constant for the trimmer, which leaves the code for sockets out of what is published for browsers.
        get => OperatingSystem.IsBrowser() || field;
        init;
    }

    public CoapStreamOptions Streams { get; init; } = new();

    /// <summary>
    /// The current time in units of 100 ns, from an arbitrary origin; monotonic. Each reading asks the clock: a stage takes the time of the
    /// item that it processes (<see cref="CoapDatagram.ReceivedAt"/>).
    /// </summary>
    public long Now => ReadClock(TimeProvider);

    /// <summary>Reads a clock, in units of 100 ns from an arbitrary origin.</summary>
    /// <param name="time">The clock.</param>
    public static long ReadClock(TimeProvider time) => time.TimestampFrequency switch
    {
        TimeSpan.TicksPerSecond => time.GetTimestamp(),
        1_000_000_000 => time.GetTimestamp() / 100,
        long frequency => (long)((Int128)time.GetTimestamp() * TimeSpan.TicksPerSecond / frequency),
    };

    /// <summary>Completes a task that others await. Their continuations do not run inside this call.</summary>
    public void Report(Action<object?> complete, object? state)
    {
        if (Continuations?.Queue(complete, state) != true)
        {
            complete(state);
        }
    }
}
