using System.Diagnostics.Metrics;
using CoAP.NET.Channels;
using CoAP.NET.Composition.Stages;
using CoAP.NET.Formats;
using Microsoft.Extensions.Logging;

namespace CoAP.NET;

/// <summary>
/// Describes the shard for a factory of <see cref="CoapPipelineOptions.Replace"/>, and offers what the replaced stage would use.
/// Thread-safe.
/// </summary>
public sealed class CoapStageContext
{
    private readonly CoapEnvironment _environment;
    private readonly MessageFormats _formats;
    private readonly ChannelInboundBlock _channels;

    internal CoapStageContext(
        CoapShardPipeline pipeline, PipelineParts parts, ChannelInboundBlock channels, MessagingAndExchangesStage handler)
    {
        Pipeline = pipeline;
        _environment = pipeline.Shard.Environment;
        _channels = channels;
        Handler = new CoapHandlerStageBlocks(handler.Inbound, handler.Outbound);
        Reader = new SerializerInboundBlock(_environment, parts.Formats);
        Writer = new SerializerOutboundBlock(_environment, parts.Formats, parts.Buffers);
        _formats = parts.Formats;
        Shard = pipeline.Shard.Index;
        ShardCount = parts.ShardCount;
    }

    /// <summary>The index of the shard, from 0. A peer stays in one shard for its lifetime.</summary>
    public int Shard { get; }

    /// <summary>The number of shards of the endpoint.</summary>
    public int ShardCount { get; }

    /// <summary>The limits of the endpoint.</summary>
    public CoapLimits Limits => _environment.Limits;

    /// <summary>The clock of the endpoint.</summary>
    public TimeProvider TimeProvider => _environment.TimeProvider;

    /// <summary>The random source of the endpoint.</summary>
    public CoapRandomSource Random => _environment.Random;

    /// <summary>The log of the endpoint.</summary>
    public ILogger Logger => _environment.Logger;

    /// <summary>The meter of the endpoint (<see cref="CoapTelemetry.MeterName"/>), for instruments of your own.</summary>
    /// <remarks>Several endpoints share the meter. Add <see cref="TelemetryTags"/> to distinguish them.</remarks>
    public Meter Meter => _environment.Telemetry.Meter;

    /// <summary>The tags of the endpoint's metrics: its name and <see cref="CoapTelemetryOptions.Tags"/>.</summary>
    /// <remarks>Metrics of endpoints with equal tags are added up.</remarks>
    public IReadOnlyList<KeyValuePair<string, object?>> TelemetryTags => _environment.Telemetry.Tags;

    /// <summary>Maps each peer to its source, for limits that give each source a share.</summary>
    public CoapSourceGroupingRule Sources => _environment.Sources;

    /// <summary>The Handler stage of the library, for a Handler that passes items on to it.</summary>
    /// <remarks>
    /// Link what leaves the two blocks, or none of it: then it passes by your blocks. Its end does not end requests of clients, the ends of
    /// connections and acknowledgements, which still pass it.
    /// </remarks>
    public CoapHandlerStageBlocks Handler { get; }

    /// <summary>The mesh of the shard. The stages that can be replaced are not linked yet.</summary>
    internal CoapShardPipeline Pipeline { get; }

    internal SerializerInboundBlock Reader { get; }

    internal SerializerOutboundBlock Writer { get; }

    /// <summary>
    /// For a Channel: finds the peer of a datagram by <see cref="CoapDatagram.Remote"/>, or creates it, as the stage of the library does.
    /// </summary>
    /// <remarks>
    /// The address may be another one than that of the transport: a peer that is known by a name has an address of your choice, for example
    /// in <c>fd00::/8</c>. The limits of the endpoint for peers, and the shares of their sources, apply to these addresses.
    /// </remarks>
    /// <param name="datagram">The datagram from the Transport stage.</param>
    /// <returns>Whether <see cref="CoapDatagram.Channel"/> is set; otherwise the datagram was ignored, counted and disposed.</returns>
    public bool TryAttach(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        return _channels.TryAttach(datagram);
    }

    /// <summary>For a Channel: addresses a datagram to the peer of its channel, as the stage of the library does.</summary>
    /// <param name="datagram">The datagram from the Serializer stage.</param>
    /// <returns>The same datagram, with <see cref="CoapDatagram.Remote"/>, Local, Transport and TransportTag.</returns>
    public static CoapDatagram Address(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        ChannelOutboundBlock.Address(datagram);
        return datagram;
    }

    /// <summary>For a Serializer: reads the message of a datagram, as the stage of the library does.</summary>
    /// <param name="datagram">The datagram from the Channel stage. Do not use it afterwards.</param>
    /// <param name="message">The item to pass on: a message, or the rule that the bytes violate.</param>
    /// <returns>False for bytes that are ignored.</returns>
    public bool TryRead(CoapDatagram datagram, out CoapInbound message)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        return Reader.TryRead(datagram, out message);
    }

    /// <summary>For a Serializer: writes a message, as the stage of the library does.</summary>
    /// <param name="outbound">The item from the Handler stage.</param>
    /// <returns>The datagram to pass on; null if the message cannot be written.</returns>
    public CoapDatagram? Write(CoapOutbound outbound) => Writer.Write(in outbound);

    /// <summary>Returns the serializer that the standard stage uses for a peer.</summary>
    /// <remarks>
    /// It uses the option registry and limits of the endpoint. Its format is datagrams (RFC 7252 section 3), frames of a stream (RFC 8323
    /// section 3.2) or WebSocket messages (section 4.2).
    /// </remarks>
    /// <param name="channel">The peer.</param>
    /// <returns>The serializer.</returns>
    public ICoapMessageSerializer SerializerOf(CoapChannel channel)
    {
        ArgumentNullException.ThrowIfNull(channel);
        return _formats.Of(channel);
    }

    /// <summary>For a Serializer: creates the inbound item of a decoded datagram and returns the datagram to its owner.</summary>
    /// <remarks>The message must own its bytes.</remarks>
    /// <param name="datagram">The datagram from the Channel stage. Do not use it afterwards.</param>
    /// <param name="message">The decoded message.</param>
    /// <returns>The item to hand on.</returns>
    /// <exception cref="ArgumentException">The datagram has no channel: it did not come from the Channel stage.</exception>
    public CoapInbound Received(CoapDatagram datagram, CoapMessage message)
    {
        ArgumentNullException.ThrowIfNull(message);
        CoapChannel channel = ChannelOf(datagram);
        CoapInbound inbound = Reader.ItemOf(datagram, channel, message);
        datagram.Dispose();
        return inbound;
    }

    /// <summary>For a Serializer: creates the inbound item of a malformed datagram and returns the datagram to its owner.</summary>
    /// <remarks>
    /// The error is counted and logged. Messaging answers a Confirmable message with a Reset and ignores others (RFC 7252 section 4.2). It
    /// aborts a connection (RFC 8323 section 5.6). To ignore bytes without a trace, dispose the datagram instead.
    /// </remarks>
    /// <param name="datagram">The datagram from the Channel stage. Do not use it afterwards.</param>
    /// <param name="error">The violated rule.</param>
    /// <param name="type">The type of the message, as far as it was readable. Ignored on connections.</param>
    /// <param name="messageId">The Message ID, as far as it was readable. Ignored on connections.</param>
    /// <returns>The item to hand on.</returns>
    /// <exception cref="ArgumentException">The datagram has no channel: it did not come from the Channel stage.</exception>
    public CoapInbound Malformed(
        CoapDatagram datagram, CoapFormatError error, CoapMessageType type = CoapMessageType.NonConfirmable, ushort messageId = 0)
    {
        CoapChannel channel = ChannelOf(datagram);
        CoapInbound inbound = Reader.ErrorOf(datagram, channel, error, type, messageId, null);
        datagram.Dispose();
        return inbound;
    }

    /// <summary>For a Serializer: creates the datagram of an encoded message.</summary>
    /// <remarks>
    /// It keeps the bytes when Messaging needs them for copies and for answers to duplicates (RFC 7252 sections 4.2 and 4.5). Call it for
    /// an item with <see cref="CoapOutbound.Encoded"/> too, with exactly these bytes.
    /// </remarks>
    /// <param name="outbound">The item to send.</param>
    /// <param name="bytes">The encoded bytes; the method copies them.</param>
    /// <returns>The datagram to hand on.</returns>
    /// <exception cref="ArgumentException"><paramref name="bytes"/> is empty.</exception>
    public CoapDatagram Encoded(CoapOutbound outbound, ReadOnlySpan<byte> bytes)
    {
        if (bytes.IsEmpty)
        {
            throw new ArgumentException("The message is empty. Pass at least one byte.", nameof(bytes));
        }

        CoapDatagram datagram = Writer.Copy(bytes);
        if (outbound.Encoded.IsEmpty)
        {
            SerializerOutboundBlock.ReportBytes(in outbound, datagram);
        }

        SerializerOutboundBlock.Address(datagram, in outbound);
        return datagram;
    }

    /// <summary>For a Serializer: reports that the format cannot express a message or that encoding failed.</summary>
    /// <remarks>
    /// The failure is counted (<c>EncodeErrors</c>) and logged. A peer that waits for a response gets 5.00 instead.
    /// Other messages are not sent; a request of this endpoint then times out.
    /// </remarks>
    /// <param name="outbound">The item that could not be encoded.</param>
    /// <param name="exception">The error.</param>
    /// <returns>The item to encode instead; null when nothing is sent.</returns>
    public CoapOutbound? EncodeFailed(CoapOutbound outbound, Exception exception)
    {
        ArgumentNullException.ThrowIfNull(exception);
        return outbound.Message is not null && Writer.Fail(in outbound, exception) is { } error
            ? outbound with { Message = error }
            : null;
    }

    private static CoapChannel ChannelOf(CoapDatagram datagram)
    {
        ArgumentNullException.ThrowIfNull(datagram);
        return datagram.Channel
            ?? throw new ArgumentException(
                "The datagram has no channel: it was disposed, or did not come from the Channel stage. Pass a datagram of that stage.",
                nameof(datagram));
    }
}
