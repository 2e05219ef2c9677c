namespace CoAP.NET;

/// <summary>The limits of single messages, and of messages that wait for an acknowledgement.</summary>
/// <remarks>The group <see cref="CoapLimits.Messages"/>. Mutable; the endpoint copies it when it is created.</remarks>
public sealed class CoapMessageLimits
{
    internal CoapMessageLimits()
    {
    }

    /// <summary>The maximum number of options in a message. A message with more is a format error.</summary>
    internal const int MaxOptions = 256;

    /// <summary>The size of the receive buffer that the endpoint requests for each socket, in bytes.</summary>
    /// <remarks>Default 4 MiB. When full: the kernel drops datagrams, counted as <c>KernelDrops</c>.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int ReceiveBufferSize { get; set => field = ValueGuard.InRange(value, 0, int.MaxValue); } = 4 * 1024 * 1024;

    /// <summary>The size of the largest datagram that is received completely, in bytes.</summary>
    /// <remarks>Default 2,048; 64 to 65,535. A larger one is truncated, counted, and answered 4.13 if its header is readable.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxDatagramSize { get; set => field = ValueGuard.InRange(value, 64, 65_535); } = 2048;

    /// <summary>The maximum token length of received messages, in bytes.</summary>
    /// <remarks>
    /// Default 64; 8 to 65,804. When a token is longer: 4.00 with the token over UDP (RFC 8974 section 2.2.2). A connection, where our CSM
    /// announced the limit, is aborted (section 2.2.1).
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxTokenLength { get; set => field = ValueGuard.InRange(value, 8, CoapToken.MaxExtendedLength); } = 64;

    /// <summary>The maximum number of outstanding messages in the whole endpoint.</summary>
    /// <remarks>
    /// Default 500,000. It counts sent Confirmable messages without acknowledgement, and sent Non-confirmable messages that a Reset may
    /// still match. When full: further messages wait, up to <see cref="CoapTransmissionParameters.MaxQueuedRequests"/> per peer, and in
    /// total as many as may be outstanding. Beyond that they are not sent, counted as <c>NotSent</c>. Free places go to
    /// the waiting peers in turn. A Non-confirmable message that only a Reset can answer keeps its place for NON_LIFETIME; when all places
    /// are taken, the oldest of them gives up its place. Each shard has an equal part of the limit, and at least one place.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is outside its range.</exception>
    public int MaxOutstanding { get; set => field = ValueGuard.InRange(value, 1, int.MaxValue); } = 500_000;

    internal CoapMessageLimits Clone() => (CoapMessageLimits)MemberwiseClone();
}
