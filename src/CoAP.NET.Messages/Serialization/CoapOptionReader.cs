using CoAP.NET.Serialization;
using System.Buffers;
using System.Diagnostics.CodeAnalysis;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace CoAP.NET;

/// <summary>Reads the options of a message alone, synchronously and asynchronously.</summary>
/// <remarks>
/// The options follow the token and have the same format in datagrams (RFC 7252 section 3.1) and on connections (RFC 8323 section 3.2), so
/// this class reads both. They end with their source, or at the payload marker. Thread-safe; keeps nothing between calls. Of
/// <see cref="CoapSerializerOptions"/>, the registry and <see cref="CoapSerializerOptions.MaxOptions"/> apply.
/// </remarks>
public sealed class CoapOptionReader
{
    private readonly CoapSerializerOptions _options;
    private readonly CoapCode _code;

    /// <summary>Creates a reader.</summary>
    /// <param name="options">Registry and limits; default: those of <see cref="CoapSerializerOptions"/>. Read-only from now on.</param>
    /// <param name="code">The code of the messages; needed for signalling codes, which have their own option numbers (RFC 8323 section
    /// 5.2).</param>
    public CoapOptionReader(CoapSerializerOptions? options = null, CoapCode code = default)
    {
        _options = (options ?? new CoapSerializerOptions()).MakeReadOnlyFor("a reader of options");
        _code = code;
    }

    /// <summary>A reader with the default options, for requests and responses.</summary>
    public static CoapOptionReader Default { get; } = new();

    /// <summary>Reads options from a span; their bytes are copied once.</summary>
    /// <param name="source">The options, and the payload with its marker if there is one.</param>
    /// <param name="consumed">The offset of the payload; the length of the source if there is none.</param>
    /// <returns>The options.</returns>
    /// <exception cref="CoapFormatException">The bytes are not options.</exception>
    public CoapOptionCollection Read(ReadOnlySpan<byte> source, out int consumed) =>
        TryRead(source, out CoapOptionCollection? options, out consumed, out CoapFormatError error)
            ? options
            : throw new CoapFormatException(error);

    /// <summary>Reads options from a sequence; their bytes are copied.</summary>
    /// <param name="source">The options, and the payload with its marker if there is one.</param>
    /// <param name="consumed">The position of the payload; the end of the source if there is none.</param>
    /// <returns>The options.</returns>
    /// <exception cref="CoapFormatException">The bytes are not options.</exception>
    public CoapOptionCollection Read(ReadOnlySequence<byte> source, out SequencePosition consumed) =>
        TryRead(source, out CoapOptionCollection? options, out consumed, out CoapFormatError error)
            ? options
            : throw new CoapFormatException(error);

    /// <summary>Reads options from a span; their bytes are copied once.</summary>
    /// <remarks>Never throws because of the bytes.</remarks>
    /// <param name="source">The options, and the payload with its marker if there is one.</param>
    /// <param name="options">The options, or null.</param>
    /// <param name="consumed">The offset of the payload; the length of the source if there is none. 0 after an error.</param>
    /// <param name="error">The violated rule, or none. Its offset counts from the first option.</param>
    /// <returns>Whether there are options.</returns>
    public bool TryRead(
        ReadOnlySpan<byte> source, [NotNullWhen(true)] out CoapOptionCollection? options, out int consumed, out CoapFormatError error)
    {
        if (!OptionSequenceReader.TryMeasure(
            source, _options.MaxOptions, out OptionSequenceLayout shape, out CoapMessageFormatViolation rule, out int offset))
        {
            options = null;
            consumed = 0;
            error = new CoapFormatError(rule, offset);
            return false;
        }

        options = new CoapOptionCollection(_options.Registry, _code);
        consumed = shape.PayloadOffset;
        error = default;
        if (shape.Count > 0)
        {
            OptionSequenceReader.Fill(source[..shape.OptionsLength].ToArray(), shape.Count, options);
        }

        return true;
    }

    /// <summary>Reads options from a sequence; their bytes are copied.</summary>
    /// <remarks>Never throws because of the bytes. Several segments are joined by one more copy.</remarks>
    /// <param name="source">The options, and the payload with its marker if there is one.</param>
    /// <param name="options">The options, or null.</param>
    /// <param name="consumed">The position of the payload; the end of the source if there is none. Its start after an error.</param>
    /// <param name="error">The violated rule, or none. Its offset counts from the first option.</param>
    /// <returns>Whether there are options.</returns>
    public bool TryRead(
        ReadOnlySequence<byte> source, [NotNullWhen(true)] out CoapOptionCollection? options, out SequencePosition consumed,
        out CoapFormatError error)
    {
        ReadOnlySpan<byte> bytes = source.IsSingleSegment ? source.FirstSpan : source.ToArray();
        bool isRead = TryRead(bytes, out options, out int length, out error);
        consumed = source.GetPosition(length);
        return isRead;
    }

    /// <summary>Reads the options of a stream one by one, each as soon as all its bytes arrived.</summary>
    /// <remarks>
    /// It reads ahead, so the enumeration owns the stream: bytes after the payload marker are lost. Use a pipe to read a payload as well.
    /// The stream stays open.
    /// </remarks>
    /// <param name="source">The stream.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The options, created by the factories of the registry. The enumeration ends at the end of the stream or at the payload
    /// marker.</returns>
    /// <exception cref="CoapFormatException">While enumerating: the bytes are not options.</exception>
    /// <exception cref="OperationCanceledException">While enumerating: reading was cancelled.</exception>
    public IAsyncEnumerable<CoapOption> ReadAsync(Stream source, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        return ReadStreamAsync(source, cancellationToken);
    }

    /// <summary>Reads the options of a pipe one by one, each as soon as all its bytes arrived.</summary>
    /// <remarks>
    /// The pipe advances past each option that is returned, and past the payload marker: the payload is what the pipe has then. It is not
    /// completed.
    /// </remarks>
    /// <param name="source">The pipe.</param>
    /// <param name="cancellationToken">Stops reading.</param>
    /// <returns>The options, created by the factories of the registry. The enumeration ends at the completion of the pipe or at the payload
    /// marker.</returns>
    /// <exception cref="CoapFormatException">While enumerating: the bytes are not options.</exception>
    /// <exception cref="OperationCanceledException">While enumerating: reading was cancelled, or
    /// <see cref="PipeReader.CancelPendingRead"/> was called.</exception>
    public IAsyncEnumerable<CoapOption> ReadAsync(PipeReader source, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(source);
        return ReadPipeAsync(source, cancellationToken);
    }

    private async IAsyncEnumerable<CoapOption> ReadStreamAsync(
        Stream source, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        PipeReader reader = PipeReader.Create(source, new StreamPipeReaderOptions(leaveOpen: true));
        try
        {
            await foreach (CoapOption option in ReadPipeAsync(reader, cancellationToken).ConfigureAwait(false))
            {
                yield return option;
            }
        }
        finally
        {
            await reader.CompleteAsync().ConfigureAwait(false);
        }
    }

    private async IAsyncEnumerable<CoapOption> ReadPipeAsync(
        PipeReader source, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        Position position = default;
        while (true)
        {
            ReadResult result = await source.ReadAsync(cancellationToken).ConfigureAwait(false);
            ReadOnlySequence<byte> buffer = result.Buffer;
            if (result.IsCanceled)
            {
                source.AdvanceTo(buffer.Start);
                throw new OperationCanceledException("Reading from the pipe was cancelled by CancelPendingRead.");
            }

            if (!TryTake(in buffer, result.IsCompleted, ref position, out CoapOption? option, out int length, out CoapFormatError error))
            {
                source.AdvanceTo(buffer.Start, buffer.End);
                continue;
            }

            source.AdvanceTo(buffer.GetPosition(length));
            if (!error.IsNone)
            {
                throw new CoapFormatException(error);
            }

            if (option is null)
            {
                yield break;
            }

            yield return option;
        }
    }

    /// <summary>Takes the option at the beginning of the bytes that are there.</summary>
    /// <param name="source">The bytes.</param>
    /// <param name="isCompleted">Whether no further bytes follow.</param>
    /// <param name="position">The options before it.</param>
    /// <param name="option">The option; null at the end of the options.</param>
    /// <param name="length">The bytes of the option, or of the payload marker.</param>
    /// <param name="error">The violated rule, or none.</param>
    /// <returns>False if more bytes are needed.</returns>
    private bool TryTake(in ReadOnlySequence<byte> source, bool isCompleted, ref Position position, out CoapOption? option, out int length,
        out CoapFormatError error)
    {
        option = null;
        length = 0;
        error = default;
        if (source.IsEmpty)
        {
            return isCompleted;
        }

        int number = position.Number;
        int offset = 0;
        int valueLength = 0;
        CoapMessageFormatViolation rule;
        if (source.FirstSpan[0] == OptionSequenceReader.PayloadMarker)
        {
            // The marker needs a payload.
            if (source.Length > 1)
            {
                length = 1;
                return true;
            }

            rule = CoapMessageFormatViolation.PayloadMissing;
        }
        else if (position.Count == _options.MaxOptions)
        {
            rule = CoapMessageFormatViolation.TooManyOptions;
            isCompleted = true;
        }
        else
        {
            rule = OptionSequenceReader.ReadHeader(in source, ref offset, ref number, out valueLength);
            isCompleted |= rule is not (CoapMessageFormatViolation.None or CoapMessageFormatViolation.OptionHeaderTruncated);
            if (rule == CoapMessageFormatViolation.None && valueLength > source.Length - offset)
            {
                rule = CoapMessageFormatViolation.OptionValueTruncated;
                offset = (int)source.Length;
            }
        }

        if (rule != CoapMessageFormatViolation.None)
        {
            error = isCompleted ? new CoapFormatError(rule, position.Offset + offset) : default;
            return isCompleted;
        }

        ReadOnlySequence<byte> value = source.Slice(offset, valueLength);
        option = _options.Registry.Create(_code, new OptionData(number, value.IsSingleSegment ? value.FirstSpan : value.ToArray()));
        length = offset + valueLength;
        position = new Position(number, position.Count + 1, position.Offset + length);
        return true;
    }

    /// <summary>What was read before an option: the last number, the number of options, and their bytes.</summary>
    private readonly record struct Position(int Number, int Count, long Offset);
}
