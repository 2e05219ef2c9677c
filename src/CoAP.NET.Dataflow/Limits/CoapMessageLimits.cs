namespace CoAP.NET;

/// <summary>The limits of single messages, and of messages that wait for an acknowledgement.</summary>
/// <remarks>The group <see cref="CoapLimits.Messages"/>. Read-only once an endpoint uses it.</remarks>
[HasSettings]
public sealed partial class CoapMessageLimits
{
    internal CoapMessageLimits()
    {
    }

    /// <summary>The maximum number of options in a message. A message with more is a format error.</summary>
    internal const int MaxOptions = 256;

    /// <summary>The size of the receive buffer that the endpoint requests for each socket, in bytes.</summary>
    /// <remarks>When full: the kernel drops datagrams, counted as <c>KernelDrops</c>.</remarks>
    [NumberRange(0, IsBytes = true)]
    public partial int ReceiveBufferSize { get; set; } = 4 * 1024 * 1024;

    /// <summary>The size of the largest datagram that is received completely, in bytes.</summary>
    /// <remarks>A larger one is truncated, counted as <c>TruncatedDatagrams</c>, and answered 4.13 if its header is readable.</remarks>
    [NumberRange(64, 65_535, IsBytes = true)]
    public partial int MaxDatagramSize { get; set; } = 2048;

    /// <summary>The maximum token length of received messages, in bytes.</summary>
    /// <remarks>
    /// When a token is longer: 4.00 with the token over UDP (RFC 8974 section 2.2.2). A connection, where our CSM announced the limit, is
    /// aborted (section 2.2.1).
    /// </remarks>
    [NumberRange(8, CoapToken.MaxExtendedLength)]
    public partial int MaxTokenLength { get; set; } = 64;

    /// <summary>The maximum number of outstanding messages in the whole endpoint.</summary>
    /// <remarks>
    /// It counts sent Confirmable messages without acknowledgement, and sent Non-confirmable messages that a Reset may still match. When
    /// full: further messages wait, up to <see cref="CoapTransmissionParameters.MaxQueuedRequests"/> per peer, and in total as many as may
    /// be outstanding. Beyond that they are not sent, counted as <c>NotSent</c>. Free places go to the waiting peers in turn. A
    /// Non-confirmable message that only a Reset can answer keeps its place for NON_LIFETIME; when all places are taken, the oldest of them
    /// gives up its place. Each shard has an equal part of the limit, and at least one place.
    /// </remarks>
    [NumberRange(1)]
    public partial int MaxOutstanding { get; set; } = 500_000;

    /// <summary>Creates the options of a serializer that obeys these limits.</summary>
    /// <param name="registry">The option factories.</param>
    /// <param name="maxMessageSize">The largest message that is read, in bytes; null for the default of the serializer.</param>
    internal CoapSerializerOptions ForSerializer(CoapOptionRegistry registry, long? maxMessageSize = null) => new()
    {
        Registry = registry,
        MaxMessageSize = maxMessageSize,
        MaxOptions = MaxOptions,
        MaxTokenLength = MaxTokenLength,
    };
}
