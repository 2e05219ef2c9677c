namespace CoAP.NET.Hosting;

/// <summary>The keys of <see cref="CoapLimits"/>.</summary>
internal static class LimitKeys
{
    public static KeyTable<CoapLimits> Table { get; } = new KeyTable<CoapLimits>()
        .Bytes("Limits:ReceiveBufferSize", 0, int.MaxValue, static limits => limits.ReceiveBufferSize,
            static (limits, value) => limits.ReceiveBufferSize = (int)value)
        .Bytes("Limits:MaxDatagramSize", 64, 65_535, static limits => limits.MaxDatagramSize,
            static (limits, value) => limits.MaxDatagramSize = (int)value)
        .Number("Limits:MaxChannels", 1, 100_000_000, static limits => limits.MaxChannels,
            static (limits, value) => limits.MaxChannels = value)
        .Time("Limits:IdlePeerLifetime", new TimeKind(TimeSpan.FromMinutes(1), TimeSpan.FromDays(300), isInfiniteAllowed: true),
            static limits => limits.IdlePeerLifetime, static (limits, value) => limits.IdlePeerLifetime = value)
        .Bytes("Limits:NewcomerBytes", 64 * 1024, int.MaxValue, static limits => limits.NewcomerBytes,
            static (limits, value) => limits.NewcomerBytes = (int)value)
        .Time("Limits:NewcomerPeriod", new TimeKind(TimeSpan.Zero, TimeSpan.FromHours(1)), static limits => limits.NewcomerPeriod,
            static (limits, value) => limits.NewcomerPeriod = value)
        .Number("Limits:SourcePrefixLength", 32, 64, static limits => limits.SourcePrefixLength,
            static (limits, value) => limits.SourcePrefixLength = value)
        .Number("Limits:MaxVerifiedPeersPerSource", 0, 100_000_000, static limits => limits.MaxVerifiedPeersPerSource,
            static (limits, value) => limits.MaxVerifiedPeersPerSource = value)
        .Bytes("Limits:DeduplicationBytes", 64 * 1024, long.MaxValue, static limits => limits.DeduplicationBytes,
            static (limits, value) => limits.DeduplicationBytes = value)
        .Factor("Limits:UnverifiedDeduplicationShare", Share, static limits => limits.UnverifiedDeduplicationShare,
            static (limits, value) => limits.UnverifiedDeduplicationShare = value)
        .Factor("Limits:PeerDeduplicationShare", Share, static limits => limits.PeerDeduplicationShare,
            static (limits, value) => limits.PeerDeduplicationShare = value)
        .Factor("Limits:SourceDeduplicationShare", Share, static limits => limits.SourceDeduplicationShare,
            static (limits, value) => limits.SourceDeduplicationShare = value)
        .Bytes("Limits:MaxStoredSafeReply", 0, 65_535, static limits => limits.MaxStoredSafeReply,
            static (limits, value) => limits.MaxStoredSafeReply = (int)value)
        .Number("Limits:SafeExchangesPerPeer", 1, 65_536, static limits => limits.SafeExchangesPerPeer,
            static (limits, value) => limits.SafeExchangesPerPeer = value)
        .Number("Limits:MaxRequestsServed", 1, int.MaxValue, static limits => limits.MaxRequestsServed,
            static (limits, value) => limits.MaxRequestsServed = value)
        .Number("Limits:MaxOutstandingMessages", 1, int.MaxValue, static limits => limits.MaxOutstandingMessages,
            static (limits, value) => limits.MaxOutstandingMessages = value)
        .Number("Limits:BusyMaxAge", 0, int.MaxValue, static limits => limits.BusyMaxAge,
            static (limits, value) => limits.BusyMaxAge = value)
        .Number("Limits:MaxTokenLength", 8, CoapToken.MaxExtendedLength, static limits => limits.MaxTokenLength,
            static (limits, value) => limits.MaxTokenLength = value)
        .Number("Limits:MaxOptions", 1, int.MaxValue, static limits => limits.MaxOptions,
            static (limits, value) => limits.MaxOptions = value)
        .Bytes("Limits:MaxBodySize", 1, 1L << 30, static limits => limits.MaxBodySize, static (limits, value) => limits.MaxBodySize = value)
        .Bytes("Limits:MaxAssemblyBytes", 4096, long.MaxValue, static limits => limits.MaxAssemblyBytes,
            static (limits, value) => limits.MaxAssemblyBytes = value)
        .Factor("Limits:PeerAssemblyShare", Share, static limits => limits.PeerAssemblyShare,
            static (limits, value) => limits.PeerAssemblyShare = value)
        .Bytes("Limits:MaxRepresentationBytes", 0, long.MaxValue, static limits => limits.MaxRepresentationBytes,
            static (limits, value) => limits.MaxRepresentationBytes = value)
        .Number("Limits:MaxObservations", 0, int.MaxValue, static limits => limits.MaxObservations,
            static (limits, value) => limits.MaxObservations = value)
        .Number("Limits:MaxProtectedPeers", 1, 1_000_000, static limits => limits.MaxProtectedPeers,
            static (limits, value) => limits.MaxProtectedPeers = value)
        .Number("Limits:MaxDelayedGroupAnswers", 1, 1_000_000, static limits => limits.MaxDelayedGroupAnswers,
            static (limits, value) => limits.MaxDelayedGroupAnswers = value)
        .Number("Limits:MaxGroupRequests", 1, 1_000_000, static limits => limits.MaxGroupRequests,
            static (limits, value) => limits.MaxGroupRequests = value)
        .Switch("Limits:LimitAmplification", static limits => limits.LimitAmplification,
            static (limits, value) => limits.LimitAmplification = value)
        .Number("Limits:AmplificationFactor", 1, 100, static limits => limits.AmplificationFactor,
            static (limits, value) => limits.AmplificationFactor = value)
        .Bytes("Limits:AmplificationFreeBytes", 64, 65_507, static limits => limits.AmplificationFreeBytes,
            static (limits, value) => limits.AmplificationFreeBytes = (int)value)
        .Bytes("Limits:AmplificationBytesPerMinute", 0, int.MaxValue, static limits => limits.AmplificationBytesPerMinute,
            static (limits, value) => limits.AmplificationBytesPerMinute = (int)value)
        .Bytes("Limits:AmplificationBytesPerSecond", 0, int.MaxValue, static limits => limits.AmplificationBytesPerSecond,
            static (limits, value) => limits.AmplificationBytesPerSecond = (int)value)
        .Time("Limits:AddressVerificationLifetime", new TimeKind(TimeSpan.Zero, TimeSpan.MaxValue, isAbove: true),
            static limits => limits.AddressVerificationLifetime, static (limits, value) => limits.AddressVerificationLifetime = value)
        .Number("Limits:TooManyRequestsPerSecond", 1, int.MaxValue, static limits => limits.TooManyRequestsPerSecond,
            static (limits, value) => limits.TooManyRequestsPerSecond = value)
        .Bytes("Limits:MaxResponseBodySize", 0, 1 << 30, static limits => limits.MaxResponseBodySize,
            static (limits, value) => limits.MaxResponseBodySize = (int)value)
        .Number("Limits:MaxObservers", 0, 100_000_000, static limits => limits.MaxObservers,
            static (limits, value) => limits.MaxObservers = value)
        .Number("Limits:MaxObserversPerPeer", 0, 1_000_000, static limits => limits.MaxObserversPerPeer,
            static (limits, value) => limits.MaxObserversPerPeer = value)
        .Number("Limits:MaxUnacknowledgedNotifications", 0, 1_000_000, static limits => limits.MaxUnacknowledgedNotifications,
            static (limits, value) => limits.MaxUnacknowledgedNotifications = value)
        .Number("Limits:MaxUnverifiedObserversPerSource", 0, 100_000_000, static limits => limits.MaxUnverifiedObserversPerSource,
            static (limits, value) => limits.MaxUnverifiedObserversPerSource = value)
        .Number("Limits:MaxConnections", 0, 100_000_000, static limits => limits.MaxConnections,
            static (limits, value) => limits.MaxConnections = value)
        .Number("Limits:MaxConnectionsPerAddress", 1, 100_000_000, static limits => limits.MaxConnectionsPerAddress,
            static (limits, value) => limits.MaxConnectionsPerAddress = value)
        .Number("Limits:MaxHandshakes", 1, 100_000_000, static limits => limits.MaxHandshakes,
            static (limits, value) => limits.MaxHandshakes = value)
        .Number("Limits:MaxHandshakesPerAddress", 1, 100_000_000, static limits => limits.MaxHandshakesPerAddress,
            static (limits, value) => limits.MaxHandshakesPerAddress = value)
        .Bytes("Limits:MaxStreamMessageSize", 64, 1 << 30, static limits => limits.MaxStreamMessageSize,
            static (limits, value) => limits.MaxStreamMessageSize = (int)value)
        .Bytes("Limits:MaxFrameAssemblyBytes", 4096, long.MaxValue, static limits => limits.MaxFrameAssemblyBytes,
            static (limits, value) => limits.MaxFrameAssemblyBytes = value)
        .Bytes("Limits:SendQueueBytes", 1024, 1 << 29, static limits => limits.SendQueueBytes,
            static (limits, value) => limits.SendQueueBytes = (int)value)
        .Bytes("Limits:MaxSendQueueBytes", 1024, 1 << 29, static limits => limits.MaxSendQueueBytes,
            static (limits, value) => limits.MaxSendQueueBytes = (int)value)
        .Bytes("Limits:MaxStreamSendBytes", 64 * 1024, long.MaxValue, static limits => limits.MaxStreamSendBytes,
            static (limits, value) => limits.MaxStreamSendBytes = value)
        .Factor("Limits:StreamSourceShare", Share, static limits => limits.StreamSourceShare,
            static (limits, value) => limits.StreamSourceShare = value)
        .Number("Limits:MaxRequestsPerConnection", 1, 10_000_000, static limits => limits.MaxRequestsPerConnection,
            static (limits, value) => limits.MaxRequestsPerConnection = value);

    private static FactorKind Share => new(0, 1, isAbove: true);
}
