using CoAP.NET.Cluster.Maps;
using CoAP.NET.Cluster.Nodes;
using CoAP.NET.Cluster.Observing;
using CoAP.NET.Cluster.Records;
using CoAP.NET.Cluster.Stores;
using CoAP.NET.Cluster.Writing;
using CoAP.NET.Hosting.Configuration;
using static System.TimeSpan;
using static CoAP.NET.Hosting.Configuration.ConfigurationValueSyntax;

namespace CoAP.NET.Cluster.Hosting;

internal static class ClusterConfigurationKeys
{
    private static readonly ConfigurationValueSyntax s_moment = Time(Zero, FromMinutes(10));
    private static readonly ConfigurationValueSyntax s_hour = Time(Zero, FromHours(1));
    private static readonly ConfigurationValueSyntax s_days = Time(FromDays(3650));
    private static readonly ConfigurationValueSyntax s_always = s_days.OrInfinite(Timeout.InfiniteTimeSpan);

    private static readonly ConfigurationSectionReader<CoapSlotMoveOptions> s_moves = new("Moves:")
    {
        { "SettleTime", s_moment },
        { "BatchSize", Number(1, CoapSlot.Count) },
        { "ReleaseTimeout", s_moment },
        { "LeaveTimeout", s_hour },
        { "RelayTime", s_hour },
        { "MaxQueueTime", Time(FromMilliseconds(100), FromMinutes(1)) },
        { "MaxQueuedBytes", Bytes(64 << 10, 1 << 30) },
    };

    private static readonly ConfigurationSectionReader<CoapDeviceOptions> s_devices = new("Devices:")
    {
        { "TriesBeforeAsleep", Number(1, 100) },
        { "RetryAsleepAfter", s_always },
        { "AwakeTime", s_always },
        { "RememberFor", s_days },
        { "MaxObservationsPerDevice", Number(1, 10_000) },
        { "MaxQueuedPerDevice", Number(1, 1_000) },
        { "MaxQueued", Number(1, 1_000_000) },
        { "MaxQueuedBytes", Bytes(64 << 10, 1 << 30) },
        { "MaxQueuedPerCaller", Number(1, 1_000_000) },
        { "OutcomeLifetime", s_days },
    };

    private static readonly ConfigurationSectionReader<CoapClusterObserverOptions> s_observers = new("Observers:")
    {
        { "RestoresPerSecond", Number(1, 1_000_000) },
        { "MaxWaiting", Number(100, 10_000_000) },
    };

    private static readonly ConfigurationSectionReader<CoapRecordWriterOptions> s_writer = new("Writer:")
    {
        { "MaxRecords", Number(100, 10_000_000) },
        { "MaxBytes", Bytes(64L << 10, 4L << 30) },
        { "BatchSize", Number(1, RecordBatchValidator.MaxCount) },
        { "Interval", Time(Zero, FromMinutes(1)) },
        { "FirstRetry", Time(FromMilliseconds(1), FromMinutes(1)) },
        { "LongestRetry", Time(FromMilliseconds(1), FromMinutes(10)) },
        { "StopTimeout", s_moment },
    };

    private static readonly ConfigurationSectionReader<CoapClusterOptions> s_options = new()
    {
        { "Lease", Time(FromSeconds(1), NodeLeaseLimits.Longest) },
        { s_moves, static options => options.Moves },
        { s_devices, static options => options.Devices },
        { s_observers, static options => options.Observers },
        { s_writer, static options => options.Writer },
    };

    public static ConfigurationSectionReader<ClusterSettings> Table { get; } = new()
    {
        { "SecretFile", FilePath },
        { "Secret", ClusterSecretText.Syntax },
        { s_options, static settings => settings.Options },
        "AllowUnknownKeys",
    };
}
