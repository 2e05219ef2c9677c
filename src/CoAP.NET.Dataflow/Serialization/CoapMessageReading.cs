using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Serialization;

/// <summary>
/// Reads messages one after another, in formats whose bytes say where a message ends, such as <see cref="CoapStreamSerializer"/>.
/// </summary>
public static class CoapMessageReading
{
    /// <summary>
    /// Reads all messages of a stream to its end. It reads ahead, so the stream belongs to the enumeration: what follows the last message
    /// that was taken is lost. The stream stays open.
    /// </summary>
    /// <param name="serializer">The format; not one of datagrams, whose messages end with their source.</param>
    /// <param name="source">The stream.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The messages. The enumeration ends when the stream ends between two of them; each keeps its own copy of its
    /// bytes.</returns>
    /// <exception cref="CoapFormatException">While enumerating: the bytes are no message, or the stream ended within one.</exception>
    /// <exception cref="OperationCanceledException">While enumerating: reading was stopped.</exception>
    public static IAsyncEnumerable<CoapMessage> ReadAllAsync(this ICoapMessageSerializer serializer, Stream source,
        CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(serializer);
        ArgumentNullException.ThrowIfNull(source);
        return ReadStreamAsync(serializer, source, cancellationToken);
    }

    /// <summary>Reads all messages of a pipe to its completion. The pipe is not completed.</summary>
    /// <param name="serializer">The format; not one of datagrams, whose messages end with their source.</param>
    /// <param name="source">The pipe.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The messages. The enumeration ends when the pipe was completed between two of them; each keeps its own copy of its
    /// bytes.</returns>
    /// <exception cref="CoapFormatException">While enumerating: the bytes are no message, or the pipe was completed within one.</exception>
    /// <exception cref="OperationCanceledException">While enumerating: reading was stopped.</exception>
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

            // Nothing is consumed or examined: what is there is there for the serializer, too.
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
