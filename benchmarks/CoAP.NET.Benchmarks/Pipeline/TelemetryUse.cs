namespace CoAP.NET.Benchmarks;

/// <summary>Who listens to what a server tells of itself.</summary>
public enum TelemetryUse
{
    /// <summary>Nobody.</summary>
    None,

    /// <summary>A listener of metrics.</summary>
    Metrics,

    /// <summary>A listener of spans that wants all of them.</summary>
    Traces,

    /// <summary>Both.</summary>
    MetricsAndTraces,

    /// <summary>A wire trace of all peers that is full, so that what it costs is the copy.</summary>
    WireTrace,
}
