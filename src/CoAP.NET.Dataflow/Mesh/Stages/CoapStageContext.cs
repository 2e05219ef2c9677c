using System.Diagnostics.Metrics;
using CoAP.NET.Serialization;
using CoAP.NET.Transports;
using Microsoft.Extensions.Logging;

namespace CoAP.NET.Mesh;

/// <summary>
/// What a factory of <see cref="CoapPipelineOptions.Replace"/> gets: the shard that its blocks are for, and what the stage that they
/// replace would use. Thread-safe.
/// </summary>
public sealed class CoapStageContext
{
    private readonly CoapEnvironment _environment;
    private readonly InboundItems _inbound;
    private readonly OutboundItems _outbound;
    private readonly MessageFormats _formats;

    internal CoapStageContext(CoapShard shard, PipelineParts parts)
    {
        _environment = shard.Environment;
        _inbound = new InboundItems(_environment);
        _outbound = new OutboundItems(_environment, parts.Buffers);
        _formats = parts.Formats;
        Shard = shard.Index;
        ShardCount = parts.ShardCount;
    }

    /// <summary>The number of the shard, from 0 on. A peer belongs to one shard as long as it lasts.</summary>
    public int Shard { get; }

    /// <summary>How many shards the endpoint has.</summary>
    public int ShardCount { get; }

    /// <summary>The bounds of the endpoint.</summary>
    public CoapLimits Limits => _environment.Limits;

    /// <summary>The clock of the endpoint.</summary>
    public TimeProvider TimeProvider => _environment.TimeProvider;

    /// <summary>The randomness of the endpoint.</summary>
    public CoapRandomSource Random => _environment.Random;

    /// <summary>The log of the endpoint.</summary>
    public ILogger Logger => _environment.Logger;

    /// <summary>
    /// The meter of the endpoint (<see cref="CoapTelemetry.MeterName"/>), for instruments of your own. Several endpoints share it: tell
    /// them apart by <see cref="TelemetryTags"/>.
    /// </summary>
    public Meter Meter => _environment.Telemetry.Meter;

    /// <summary>
    /// The tags of the endpoint's metrics: its name and <see cref="CoapEndpointOptions.TelemetryTags"/>. Endpoints with equal tags are
    /// added up.
    /// </summary>
    public IReadOnlyList<KeyValuePair<string, object?>> TelemetryTags => _environment.Telemetry.Tags;

    /// <summary>Which source each peer is of, for bounds that give each source a share.</summary>
    public CoapSourceRule Sources => _environment.Sources;

    /// <summary>
    /// The format that the standard stage uses for a peer, with the option registry and limits of the endpoint: datagrams (RFC 7252 section
    /// 3), frames of a stream (RFC 8323 section 3.2) or WebSocket messages (section 4.2).
    /// </summary>
    /// <param name="channel">The peer.</param>
    /// <returns>The serializer.</returns>
    public ICoapMessageSerializer SerializerOf(CoapChannel channel)
    {
        ArgumentNullException.ThrowIfNull(channel);
        return _formats.Of(channel);
    }

    /// <summary>
    /// For a Serializer: makes what goes up of a datagram that was read, and gives the datagram back. The message must own its bytes.
    /// </summary>
    /// <param name="datagram">The datagram, as it came from the Channel stage; do not use it afterwards.</param>
    /// <param name="message">The message in it.</param>
    /// <returns>The item to hand on.</returns>
    public CoapInbound Received(CoapDatagram datagram, CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        CoapChannel channel = ChannelOf(datagram);
        CoapInbound inbound = _inbound.Message(datagram, channel, message);
        datagram.Dispose();
        return inbound;
    }

    /// <summary>
    /// For a Serializer: makes what goes up of a datagram that breaks a rule of the format, which is counted and logged, and gives the
    /// datagram back. Messaging answers a Confirmable message with a Reset and ignores others (RFC 7252 section 4.2); a connection is
    /// aborted (RFC 8323 section 5.6). To ignore bytes without a trace dispose the datagram instead.
    /// </summary>
    /// <param name="datagram">The datagram, as it came from the Channel stage; do not use it afterwards.</param>
    /// <param name="error">Which rule.</param>
    /// <param name="type">The type of the message, as far as it could be read. Without meaning on connections.</param>
    /// <param name="messageId">The Message ID, as far as it could be read. Without meaning on connections.</param>
    /// <returns>The item to hand on.</returns>
    public CoapInbound Malformed(
        CoapDatagram datagram, CoapFormatError error, CoapMessageType type = CoapMessageType.NonConfirmable, ushort messageId = 0)
    {
        CoapChannel channel = ChannelOf(datagram);
        CoapInbound inbound = _inbound.Error(datagram, channel, error, type, messageId, null);
        datagram.Dispose();
        return inbound;
    }

    /// <summary>
    /// For a Serializer: makes the datagram of a message, and keeps the bytes where Messaging needs them for copies and for answers to
    /// duplicates (RFC 7252 sections 4.2 and 4.5). Also for an item with <see cref="CoapOutbound.Encoded"/>, with just these bytes.
    /// </summary>
    /// <param name="outbound">What is sent.</param>
    /// <param name="bytes">Its bytes; copied.</param>
    /// <returns>The datagram to hand on.</returns>
    /// <exception cref="ArgumentException">There are no bytes.</exception>
    public CoapDatagram Encoded(CoapOutbound outbound, ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
        {
            throw new ArgumentException("A message has at least one byte.", nameof(bytes));
        }

        CoapDatagram datagram = _outbound.Copy(bytes);
        if (outbound.Encoded.IsEmpty)
        {
            OutboundItems.TellBytes(in outbound, datagram);
        }

        OutboundItems.Address(datagram, in outbound);
        return datagram;
    }

    /// <summary>
    /// For a Serializer: a message has no form in the format, or writing it failed. Counts (<see cref="CoapCounter.EncodeErrors"/>) and
    /// logs it. Who waits for a response gets 5.00 in its place; anything else is not sent, so that a request of ours times out.
    /// </summary>
    /// <param name="outbound">What was to be sent.</param>
    /// <param name="exception">What is wrong with it.</param>
    /// <returns>What to encode in its place; null when nothing is sent.</returns>
    public CoapOutbound? EncodeFailed(CoapOutbound outbound, Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return outbound.Message is not null && _outbound.Fail(in outbound, exception) is { } error
            ? outbound with { Message = error }
            : null;
    }

    private static CoapChannel ChannelOf(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        return datagram.Channel
            ?? throw new ArgumentException("The datagram has no channel. It was given back, or did not come from the Channel stage.",
                nameof(datagram));
    }
}
