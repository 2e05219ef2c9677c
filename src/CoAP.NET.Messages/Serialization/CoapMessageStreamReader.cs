using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace CoAP.NET;

/// <summary>
/// Reads consecutive messages in formats whose bytes determine the end of a message, such as <see cref="CoapStreamSerializer"/>.
/// </summary>
public static class CoapMessageStreamReader
{
    /// <summary>Reads all messages of a stream to its end.</summary>
    /// <remarks>
    /// It reads ahead, so the enumeration owns the stream: bytes after the last returned message are lost. The stream stays open.
    /// </remarks>
    /// <param name="serializer">The format; not a datagram format, whose messages end with their source.</param>
    /// <param name="source">The stream.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The messages. The enumeration ends when the stream ends between two of them; each owns a copy of its bytes.</returns>
    /// <exception cref="CoapFormatException">While enumerating: the bytes are not a message, or the stream ended inside one.</exception>
    /// <exception cref="OperationCanceledException">While enumerating: reading was cancelled.</exception>
    public static IAsyncEnumerable<CoapMessage> ReadAllAsync(this ICoapMessageSerializer serializer, Stream source,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(serializer);
        ArgumentNullException.ThrowIfNull(source);
        return ReadStreamAsync(serializer, source, cancellationToken);
    }

    /// <summary>Reads all messages of a pipe to its completion.</summary>
    /// <remarks>It does not complete the pipe.</remarks>
    /// <param name="serializer">The format; not a datagram format, whose messages end with their source.</param>
    /// <param name="source">The pipe.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The messages. The enumeration ends when the pipe was completed between two of them; each owns a copy of its
    /// bytes.</returns>
    /// <exception cref="CoapFormatException">While enumerating: the bytes are not a message, or the pipe was completed inside
    /// one.</exception>
    /// <exception cref="OperationCanceledException">While enumerating: reading was cancelled.</exception>
    public static IAsyncEnumerable<CoapMessage> ReadAllAsync(this ICoapMessageSerializer serializer, PipeReader source,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(serializer);
        ArgumentNullException.ThrowIfNull(source);
        return ReadPipeAsync(serializer, source, cancellationToken);
    }

    private static async IAsyncEnumerable<CoapMessage> ReadStreamAsync(
        ICoapMessageSerializer serializer, Stream source, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        PipeReader reader = PipeReader.Create(source, new StreamPipeReaderOptions(leaveOpen: true));
        try
        {
            await foreach (CoapMessage message in ReadPipeAsync(serializer, reader, cancellationToken).ConfigureAwait(false))
            {
                yield return message;
            }
        }
        finally
        {
            await reader.CompleteAsync().ConfigureAwait(false);
        }
    }

    private static async IAsyncEnumerable<CoapMessage> ReadPipeAsync(
        ICoapMessageSerializer serializer, PipeReader source, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        while (true)
        {
            ReadResult result = await source.ReadAsync(cancellationToken).ConfigureAwait(false);

            // This consumes and examines nothing: the serializer sees all available bytes too.
            bool isEnd = result.Buffer.IsEmpty && result.IsCompleted;
            source.AdvanceTo(result.Buffer.Start);
            if (result.IsCanceled)
            {
                throw new OperationCanceledException("Reading from the pipe was cancelled by CancelPendingRead.");
            }

            if (isEnd)
            {
                yield break;
            }

            yield return await serializer.DeserializeAsync(source, cancellationToken).ConfigureAwait(false);
        }
    }
}
