using CoAP.NET.Serialization;
using System.Buffers;
using System.IO.Pipelines;

namespace CoAP.NET;

/// <summary>Writes the options of a message alone, synchronously and asynchronously.</summary>
/// <remarks>
/// The format is the same in datagrams (RFC 7252 section 3.1) and on connections (RFC 8323 section 3.2). <see cref="CoapOptionReader"/>
/// reads it. A payload follows a payload marker, the byte 255, which is not written.
/// </remarks>
public static class CoapOptionWriter
{
    /// <summary>Returns the number of bytes that options take.</summary>
    /// <param name="options">The options.</param>
    /// <returns>The number of bytes, without a payload marker.</returns>
    /// <exception cref="ArgumentException">An option value has more than 65,804 bytes.</exception>
    public static long GetSize(CoapOptionCollection options)
    {
        ArgumentNullException.ThrowIfNull(options);
        return OptionSequenceWriter.Measure(options);
    }

    /// <summary>Writes options into a new array.</summary>
    /// <param name="options">The options.</param>
    /// <returns>The bytes, without a payload marker.</returns>
    /// <exception cref="ArgumentException">An option value has more than 65,804 bytes.</exception>
    public static byte[] Write(CoapOptionCollection options)
    {
        byte[] bytes = new byte[checked((int)GetSize(options))];
        new OptionSequenceWriter(options).Write(bytes);
        return bytes;
    }

    /// <summary>Writes options into a buffer writer.</summary>
    /// <param name="destination">The buffer writer.</param>
    /// <param name="options">The options.</param>
    /// <returns>The number of bytes written.</returns>
    /// <exception cref="ArgumentException">An option value has more than 65,804 bytes.</exception>
    public static int Write(IBufferWriter<byte> destination, CoapOptionCollection options)
    {
        ArgumentNullException.ThrowIfNull(destination);
        int size = checked((int)GetSize(options));
        new OptionSequenceWriter(options).Write(destination.GetSpan(size));
        destination.Advance(size);
        return size;
    }

    /// <summary>Writes options into a span if they fit.</summary>
    /// <param name="destination">The span.</param>
    /// <param name="options">The options.</param>
    /// <param name="written">The number of bytes written; 0 when they do not fit.</param>
    /// <returns>Whether they fit.</returns>
    /// <exception cref="ArgumentException">An option value has more than 65,804 bytes.</exception>
    public static bool TryWrite(Span<byte> destination, CoapOptionCollection options, out int written)
    {
        bool fits = GetSize(options) <= destination.Length;
        written = fits ? new OptionSequenceWriter(options).Write(destination) : 0;
        return fits;
    }

    /// <summary>Writes options into a stream synchronously, through one pooled buffer.</summary>
    /// <param name="destination">The stream.</param>
    /// <param name="options">The options.</param>
    /// <exception cref="ArgumentException">An option value has more than 65,804 bytes.</exception>
    public static void Write(Stream destination, CoapOptionCollection options)
    {
        ArgumentNullException.ThrowIfNull(destination);
        byte[] buffer = Rent(options);
        for (OptionSequenceWriter writer = new(options); !writer.IsDone;)
        {
            destination.Write(buffer.AsSpan(0, writer.Write(buffer)));
        }

        ArrayPool<byte>.Shared.Return(buffer);
    }

    /// <summary>Writes options into a stream, through one pooled buffer.</summary>
    /// <param name="destination">The stream.</param>
    /// <param name="options">The options; must not change before the task completes.</param>
    /// <param name="cancellationToken">Stops writing.</param>
    /// <returns>A task that completes when all bytes were written.</returns>
    /// <exception cref="ArgumentException">An option value has more than 65,804 bytes.</exception>
    public static ValueTask WriteAsync(Stream destination, CoapOptionCollection options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return WritePartsAsync(destination, options, Rent(options), cancellationToken);
    }

    /// <summary>Writes options to a pipe and flushes it; large ones in parts, so that a slow reader stops the writer.</summary>
    /// <param name="destination">The pipe.</param>
    /// <param name="options">The options; must not change before the task completes.</param>
    /// <param name="cancellationToken">Stops writing.</param>
    /// <returns>A task that completes when the pipe accepted the bytes. After the reader completed, the bytes are dropped.</returns>
    /// <exception cref="ArgumentException">An option value has more than 65,804 bytes.</exception>
    /// <exception cref="OperationCanceledException">Writing was cancelled, or <see cref="PipeWriter.CancelPendingFlush"/> was
    /// called.</exception>
    public static ValueTask WriteAsync(PipeWriter destination, CoapOptionCollection options, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(destination);
        return WritePartsAsync(destination, options, PartOf(options), cancellationToken);
    }

    // A buffer goes back to the pool only when all went well: after an exception the stream may still hold it.
    private static async ValueTask WritePartsAsync(
        Stream destination, CoapOptionCollection options, byte[] buffer, CancellationToken cancellationToken)
    {
        OptionSequenceWriter writer = new(options);
        while (!writer.IsDone)
        {
            int written = writer.Write(buffer);
            await destination.WriteAsync(buffer.AsMemory(0, written), cancellationToken).ConfigureAwait(false);
        }

        ArrayPool<byte>.Shared.Return(buffer);
    }

    private static async ValueTask WritePartsAsync(
        PipeWriter destination, CoapOptionCollection options, int part, CancellationToken cancellationToken)
    {
        OptionSequenceWriter writer = new(options);
        while (!writer.IsDone)
        {
            destination.Advance(writer.Write(destination.GetSpan(part)));
            if (!MessageWriter.WantsMore(await destination.FlushAsync(cancellationToken).ConfigureAwait(false)))
            {
                return;
            }
        }
    }

    private static byte[] Rent(CoapOptionCollection options) => ArrayPool<byte>.Shared.Rent(PartOf(options));

    private static int PartOf(CoapOptionCollection options) => (int)Math.Min(GetSize(options), MessageWriter.PartSize);
}
