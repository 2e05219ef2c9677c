using System.Globalization;

namespace CoAP.NET.Blockwise.Server;

/// <summary>The body of a request that comes by Block1, one block after another (RFC 7959 section 2.3). Guarded by Shard.Gate.</summary>
/// <param name="bodies">The bodies of its shard.</param>
/// <param name="key">The operation.</param>
/// <param name="channel">The peer.</param>
/// <param name="first">The request with the first block.</param>
internal abstract class SequentialRequestBody(RequestBodyStore bodies, TransferKey key, CoapChannel channel, CoapMessage first)
    : StoredTransfer(key, channel)
{
    // Describes the whole body and so is the same in all blocks.
    private readonly CoapContentFormat? _format = first.OptionsToRead?.ContentFormat;

    protected RequestBodyStore Bodies => bodies;

    /// <summary>How many bytes came, without a gap.</summary>
    protected abstract long Received { get; }

    /// <summary>Whether the first block of a body that is not its last came again.</summary>
    public bool IsCopyOfFirst(CoapMessage message) =>
        Received == message.Payload.Length && Holds(0, message.Payload.Span) && _format == message.OptionsToRead?.ContentFormat;

    /// <summary>Processes a block.</summary>
    /// <param name="exchange">The request; becomes the whole one with the last block of a body to be assembled.</param>
    /// <param name="block">Its Block1.</param>
    /// <param name="now">The current time, in units of 100 ns.</param>
    public BlockVerdict Receive(CoapExchange exchange, BlockValue block, long now) =>
        exchange.Request.Message.OptionsToRead?.ContentFormat == _format
            ? Take(exchange, block, now)
            : bodies.Incomplete("All blocks of a body must have the same Content-Format.");

    /// <summary>Processes a block of the right Content-Format.</summary>
    protected abstract BlockVerdict Take(CoapExchange exchange, BlockValue block, long now);

    /// <summary>Whether a block was taken already, byte by byte: then it is a copy, otherwise a piece of another body.</summary>
    protected abstract bool Holds(long offset, ReadOnlySpan<byte> block);

    /// <summary>4.08: a block is not the next one.</summary>
    protected BlockVerdict OutOfSequence() =>
        bodies.Incomplete(string.Create(CultureInfo.InvariantCulture, $"The next block begins at byte {Received}."));
}
