namespace CoAP.NET.Hosting;

/// <summary>The keys of <see cref="CoapTransmissionParameters"/>.</summary>
internal static class ParameterKeys
{
    public static KeyTable<CoapEndpointOptions> Table { get; } = Make("Parameters:");

    /// <summary>Creates the table with a prefix of its keys.</summary>
    public static KeyTable<CoapEndpointOptions> Make(string group) => new KeyTable<CoapEndpointOptions>()
        .Time(group + "AckTimeout", Hour, static options => options.Parameters.AckTimeout,
            static (options, value) => options.Parameters = options.Parameters with { AckTimeout = value })
        .Factor(group + "AckRandomFactor", new FactorKind(1, 10, isAbove: false), static options => options.Parameters.AckRandomFactor,
            static (options, value) => options.Parameters = options.Parameters with { AckRandomFactor = value })
        .Number(group + "MaxRetransmit", 0, 20, static options => options.Parameters.MaxRetransmit,
            static (options, value) => options.Parameters = options.Parameters with { MaxRetransmit = value })
        .Choice(group + "RetransmissionTiming", static options => options.Parameters.RetransmissionTiming,
            static (options, value) => options.Parameters = options.Parameters with { RetransmissionTiming = value })
        .Number(group + "NStart", 1, ushort.MaxValue, static options => options.Parameters.NStart,
            static (options, value) => options.Parameters = options.Parameters with { NStart = value })
        .Number(group + "MaxQueuedRequests", 0, 1_000_000, static options => options.Parameters.MaxQueuedRequests,
            static (options, value) => options.Parameters = options.Parameters with { MaxQueuedRequests = value })
        .Factor(group + "ProbingRate", new FactorKind(0, double.PositiveInfinity, isAbove: true),
            static options => options.Parameters.ProbingRate,
            static (options, value) => options.Parameters = options.Parameters with { ProbingRate = value })
        .Time(group + "DefaultLeisure", new TimeKind(TimeSpan.Zero, TimeSpan.FromMinutes(10)),
            static options => options.Parameters.DefaultLeisure,
            static (options, value) => options.Parameters = options.Parameters with { DefaultLeisure = value })
        .Time(group + "MaxLatency", new TimeKind(TimeSpan.Zero, TimeSpan.FromDays(1), isAbove: true),
            static options => options.Parameters.MaxLatency,
            static (options, value) => options.Parameters = options.Parameters with { MaxLatency = value })
        .Time(group + "PiggybackWindow", new TimeKind(TimeSpan.Zero, TimeSpan.FromHours(1)),
            static options => options.Parameters.PiggybackWindow,
            static (options, value) => options.Parameters = options.Parameters with { PiggybackWindow = value })
        .Number(group + "PreferredBlockSize", 16, 1024, static options => options.Parameters.PreferredBlockSize,
            static (options, value) => options.Parameters = options.Parameters with { PreferredBlockSize = value })
        .Bytes(group + "MaxMessageSize", 64, 65_507, static options => options.Parameters.MaxMessageSize,
            static (options, value) => options.Parameters = options.Parameters with { MaxMessageSize = (int)value })
        .Number(group + "ExtendedTokenLength", CoapToken.MaxLength + 1, CoapToken.MaxExtendedLength,
            static options => options.Parameters.ExtendedTokenLength,
            static (options, value) => options.Parameters = options.Parameters with { ExtendedTokenLength = value })
        .Time(group + "ResponseTimeout", new TimeKind(TimeSpan.Zero, TimeSpan.MaxValue, isInfiniteAllowed: true),
            static options => options.Parameters.ResponseTimeout,
            static (options, value) => options.Parameters = options.Parameters with { ResponseTimeout = value })
        .Number(group + "MaxPayloads", 1, 1000, static options => options.Parameters.MaxPayloads,
            static (options, value) => options.Parameters = options.Parameters with { MaxPayloads = value })
        .Number(group + "NonMaxRetransmit", 0, 20, static options => options.Parameters.NonMaxRetransmit,
            static (options, value) => options.Parameters = options.Parameters with { NonMaxRetransmit = value })
        .Time(group + "NonTimeout", Hour, static options => options.Parameters.NonTimeout,
            static (options, value) => options.Parameters = options.Parameters with { NonTimeout = value })
        .Time(group + "NonReceiveTimeout", Hour, static options => options.Parameters.NonReceiveTimeout,
            static (options, value) => options.Parameters = options.Parameters with { NonReceiveTimeout = value })
        .Time(group + "NonPartialTimeout", Hour, static options => options.Parameters.NonPartialTimeout,
            static (options, value) => options.Parameters = options.Parameters with { NonPartialTimeout = value });

    private static TimeKind Hour => new(TimeSpan.Zero, TimeSpan.FromHours(1), isAbove: true);
}
