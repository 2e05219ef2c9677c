using CoAP.NET.Hosting;

namespace CoAP.NET.Cluster;

/// <summary>The configuration keys of a cluster's section.</summary>
internal static class ClusterKeys
{
    private static readonly TextKind<string> s_path = new("path of a file", static text => text);
    private static readonly TimeKind s_moment = Upto(TimeSpan.FromMinutes(10));
    private static readonly TimeKind s_hour = Upto(TimeSpan.FromHours(1));
    private static readonly TimeKind s_days = new(TimeSpan.Zero, TimeSpan.FromDays(3650), isAbove: true);
    private static readonly TimeKind s_always = new(TimeSpan.Zero, TimeSpan.FromDays(3650), isInfiniteAllowed: true, isAbove: true);

    private static KeyTable<CoapSlotMoveOptions> Moves { get; } = new KeyTable<CoapSlotMoveOptions>()
        .Time("Moves:SettleTime", s_moment, static moves => moves.SettleTime, static (moves, value) => moves.SettleTime = value)
        .Number("Moves:BatchSize", 1, CoapSlot.Count, static moves => moves.BatchSize, static (moves, value) => moves.BatchSize = value)
        .Time("Moves:ReleaseTimeout", s_moment, static moves => moves.ReleaseTimeout, static (moves, value) => moves.ReleaseTimeout = value)
        .Time("Moves:LeaveTimeout", s_hour, static moves => moves.LeaveTimeout, static (moves, value) => moves.LeaveTimeout = value)
        .Time("Moves:RelayTime", s_hour, static moves => moves.RelayTime, static (moves, value) => moves.RelayTime = value)
        .Time("Moves:HoldTime", new TimeKind(TimeSpan.FromMilliseconds(100), TimeSpan.FromMinutes(1)), static moves => moves.HoldTime,
            static (moves, value) => moves.HoldTime = value)
        .Bytes("Moves:MaxHeldBytes", 64 << 10, 1 << 30, static moves => moves.MaxHeldBytes,
            static (moves, value) => moves.MaxHeldBytes = (int)value);

    private static KeyTable<CoapDeviceOptions> Devices { get; } = new KeyTable<CoapDeviceOptions>()
        .Number("Devices:TriesBeforeAsleep", 1, 100, static devices => devices.TriesBeforeAsleep,
            static (devices, value) => devices.TriesBeforeAsleep = value)
        .Time("Devices:RetryAsleepAfter", s_always, static devices => devices.RetryAsleepAfter,
            static (devices, value) => devices.RetryAsleepAfter = value)
        .Time("Devices:AwakeTime", s_always, static devices => devices.AwakeTime, static (devices, value) => devices.AwakeTime = value)
        .Time("Devices:RememberFor", s_days, static devices => devices.RememberFor, static (devices, value) => devices.RememberFor = value)
        .Number("Devices:MaxObservationsPerDevice", 1, 10_000, static devices => devices.MaxObservationsPerDevice,
            static (devices, value) => devices.MaxObservationsPerDevice = value)
        .Number("Devices:MaxQueuedPerDevice", 1, 1_000, static devices => devices.MaxQueuedPerDevice,
            static (devices, value) => devices.MaxQueuedPerDevice = value)
        .Number("Devices:MaxQueued", 1, 1_000_000, static devices => devices.MaxQueued,
            static (devices, value) => devices.MaxQueued = value)
        .Bytes("Devices:MaxQueuedBytes", 64 << 10, 1 << 30, static devices => devices.MaxQueuedBytes,
            static (devices, value) => devices.MaxQueuedBytes = (int)value)
        .Number("Devices:MaxQueuedPerCaller", 1, 1_000_000, static devices => devices.MaxQueuedPerCaller,
            static (devices, value) => devices.MaxQueuedPerCaller = value)
        .Time("Devices:KeepOutcomesFor", s_days, static devices => devices.KeepOutcomesFor,
            static (devices, value) => devices.KeepOutcomesFor = value);

    private static KeyTable<CoapRecordWriterOptions> Writer { get; } = new KeyTable<CoapRecordWriterOptions>()
        .Number("Writer:MaxRecords", 100, 10_000_000, static writer => writer.MaxRecords,
            static (writer, value) => writer.MaxRecords = value)
        .Bytes("Writer:MaxBytes", 64L << 10, 4L << 30, static writer => writer.MaxBytes, static (writer, value) => writer.MaxBytes = value)
        .Number("Writer:BatchSize", 1, CoapRecordBatch.MaxCount, static writer => writer.BatchSize,
            static (writer, value) => writer.BatchSize = value)
        .Time("Writer:Interval", Upto(TimeSpan.FromMinutes(1)), static writer => writer.Interval,
            static (writer, value) => writer.Interval = value)
        .Time("Writer:FirstRetry", new TimeKind(TimeSpan.FromMilliseconds(1), TimeSpan.FromMinutes(1)), static writer => writer.FirstRetry,
            static (writer, value) => writer.FirstRetry = value)
        .Time("Writer:LongestRetry", new TimeKind(TimeSpan.FromMilliseconds(1), TimeSpan.FromMinutes(10)),
            static writer => writer.LongestRetry, static (writer, value) => writer.LongestRetry = value)
        .Time("Writer:StopTimeout", s_moment, static writer => writer.StopTimeout, static (writer, value) => writer.StopTimeout = value);

    private static KeyTable<CoapClusterOptions> Options { get; } = new KeyTable<CoapClusterOptions>()
        .Time("Lease", new TimeKind(TimeSpan.FromSeconds(1), CoapLeases.Longest), static options => options.Lease,
            static (options, value) => options.Lease = value)
        .Include(Moves, static options => options.Moves)
        .Include(Devices, static options => options.Devices)
        .Number("Observers:RestoresPerSecond", 1, 1_000_000, static options => options.Observers.RestoresPerSecond,
            static (options, value) => options.Observers.RestoresPerSecond = value)
        .Number("Observers:MaxWaiting", 100, 10_000_000, static options => options.Observers.MaxWaiting,
            static (options, value) => options.Observers.MaxWaiting = value)
        .Include(Writer, static options => options.Writer);

    public static KeyTable<ClusterSettings> Table { get; } = new KeyTable<ClusterSettings>()
        .Text("SecretFile", s_path, static settings => settings.SecretFile, static (settings, value) => settings.SecretFile = value)
        .Text("Secret", ClusterSecretText.Kind, static settings => settings.Secret is null ? null : SectionReader.Hidden,
            static (settings, value) => settings.Secret = value)
        .Include(Options, static settings => settings.Options)
        .Switch("AllowUnknownKeys", static settings => settings.AllowUnknownKeys,
            static (settings, value) => settings.AllowUnknownKeys = value);

    private static TimeKind Upto(TimeSpan most) => new(TimeSpan.Zero, most);
}
