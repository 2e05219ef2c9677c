namespace CoAP.NET;

/// <summary>The bounds of an endpoint: everything that can grow has one, does something sensible when it is full, and counts it. Mutable; the endpoint copies it when it is made.</summary>
public sealed class CoapLimits
{
    /// <summary>The receive buffer asked of the operating system for each socket, in bytes. Default 4 MiB. When full: the kernel drops, counted as <see cref="CoapCounter.KernelDrops"/>.</summary>
    public int ReceiveBufferSize { get; set => field = Check(value, 0, int.MaxValue); } = 4 * 1024 * 1024;

    /// <summary>The largest datagram that is received whole, in bytes. Default 2,048; 64 to 65,535. A longer one is cut: answered 4.13 where its head is readable, and counted.</summary>
    public int MaxDatagramSize { get; set => field = Check(value, 64, 65_535); } = 2048;

    /// <summary>How many peers with more than one exchange are remembered. Default 100,000. When full: the peer that was idle longest and has no state younger than its lifetime goes first.</summary>
    public int MaxChannels { get; set => field = Check(value, 1, 100_000_000); } = 100_000;

    /// <summary>Memory for peers that had only one exchange so far, in bytes, with their deduplication. Default 8 MiB. When full: newcomers replace newcomers, nobody else.</summary>
    public int NewcomerBytes { get; set => field = Check(value, 64 * 1024, int.MaxValue); } = 8 * 1024 * 1024;

    /// <summary>How long after its first request a second one makes a peer a returning one. Default 2 s.</summary>
    public TimeSpan NewcomerPeriod { get; set; } = TimeSpan.FromSeconds(2);

    /// <summary>Memory for deduplication in the whole endpoint, in bytes. Default 256 MiB. When full: see <see cref="UnverifiedDeduplicationShare"/>.</summary>
    public long DeduplicationBytes { get; set => field = Check(value, 64 * 1024, long.MaxValue); } = 256L * 1024 * 1024;

    /// <summary>The part of <see cref="DeduplicationBytes"/> that peers whose address was never verified share. Default 1/4; above 0, up to 1.</summary>
    public double UnverifiedDeduplicationShare { get; set => field = value is > 0 and <= 1 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "A share is above 0 and at most 1."); } = 0.25;

    /// <summary>The part of <see cref="DeduplicationBytes"/> that one peer may take. Default 1/16; above 0, up to 1.</summary>
    public double PeerDeduplicationShare { get; set => field = value is > 0 and <= 1 ? value : throw new ArgumentOutOfRangeException(nameof(value), value, "A share is above 0 and at most 1."); } = 1.0 / 16;

    /// <summary>The largest reply to a safe method that is kept for duplicates, in bytes; above it the request is run again (RFC 7252 section 4.5). Default 128.</summary>
    public int MaxStoredSafeReply { get; set => field = Check(value, 0, 65_535); } = 128;

    /// <summary>How many requests are served at a time in the whole endpoint. Default 10,000. When full: 5.03 with Max-Age, before user code runs.</summary>
    public int MaxRequestsServed { get; set => field = Check(value, 1, int.MaxValue); } = 10_000;

    /// <summary>How many messages of ours may be outstanding at a time in the whole endpoint: Confirmable ones that are not acknowledged yet, and Non-confirmable ones that a Reset may still match. Default 500,000. When full: further ones wait, up to <see cref="CoapTransmissionParameters.MaxQueuedRequests"/> to one peer and as many as may be outstanding to all of them; beyond that they are not sent, counted as <see cref="CoapCounter.NotSent"/>.</summary>
    public int MaxOutstandingMessages { get; set => field = Check(value, 1, int.MaxValue); } = 500_000;

    /// <summary>The Max-Age of a 5.03 that is sent for lack of room, in seconds. Default 5.</summary>
    public int BusyMaxAge { get; set => field = Check(value, 0, int.MaxValue); } = 5;

    /// <summary>The longest token that requests may have, in bytes. Default 64; 8 to 65,804. Longer: 4.00 with the token (RFC 8974 section 2.2.3).</summary>
    public int MaxTokenLength { get; set => field = Check(value, 8, CoapToken.MaxExtendedLength); } = 64;

    /// <summary>How many options a message may have. Default 256. More: a format error.</summary>
    public int MaxOptions { get; set => field = Check(value, 1, int.MaxValue); } = 256;

    /// <summary>How many observers are served in the whole endpoint (RFC 7641 section 4.1). Default 200,000; 0 to 100,000,000. When full: a registration is answered as a plain request, without Observe, counted as <see cref="CoapCounter.RegistrationsRefused"/>.</summary>
    public int MaxObservers { get; set => field = Check(value, 0, 100_000_000); } = 200_000;

    /// <summary>How many of them one peer may have. Default 1,000; 0 to 1,000,000. When full: as with <see cref="MaxObservers"/>.</summary>
    public int MaxObserversPerPeer { get; set => field = Check(value, 0, 1_000_000); } = 1000;

    /// <summary>How many Non-confirmable notifications a peer whose address was never verified is sent between two acknowledgements (RFC 7641 section 7). Default 10; 0 to 1,000,000. When full: the next one is Confirmable, and no more are sent until it is acknowledged.</summary>
    public int MaxUnacknowledgedNotifications { get; set => field = Check(value, 0, 1_000_000); } = 10;

    internal CoapLimits Clone() => (CoapLimits)MemberwiseClone();

    private static int Check(int value, int min, int max)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, min);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, max);
        return value;
    }

    private static long Check(long value, long min, long max)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(value, min);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(value, max);
        return value;
    }
}
