using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <summary>What every stage of an endpoint shares: clock, entropy, execution, bounds, counters, log.</summary>
internal sealed class CoapEnvironment
{
    public required TimeProvider TimeProvider { get; init; }

    public required CoapRandomSource Random { get; init; }

    public required CoapScheduler Scheduler { get; init; }

    public required CoapLimits Limits { get; init; }

    public required CoapCounters Counters { get; init; }

    public required ILogger Logger { get; init; }

    /// <summary>The parameters of a peer that is met for the first time.</summary>
    public required Func<Transports.CoapAddress, CoapTransmissionParameters> ParametersOf { get; init; }

    /// <summary>Now, in units of 100 ns, from an arbitrary beginning; monotonic.</summary>
    public long Now => TimeProvider.TimestampFrequency == TimeSpan.TicksPerSecond
        ? TimeProvider.GetTimestamp()
        : (long)((Int128)TimeProvider.GetTimestamp() * TimeSpan.TicksPerSecond / TimeProvider.TimestampFrequency);
}
