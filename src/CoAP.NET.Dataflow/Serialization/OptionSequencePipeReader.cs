using System.Buffers;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace CoAP.NET.Serialization;

/// <summary>Reads options from pipes and streams one by one. Nothing of an option is consumed before it is whole.</summary>
internal static class OptionSequencePipeReader
{
    public static async IAsyncEnumerable<CoapOption> ReadAsync(
        Stream source, CoapSerializerOptions limits, CoapCode code, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        PipeReader reader = PipeReader.Create(source, new StreamPipeReaderOptions(leaveOpen: true));
        try
        {
            await foreach (CoapOption option in ReadAsync(reader, limits, code, cancellationToken).ConfigureAwait(false))
            {
                yield return option;
            }
        }
        finally
        {
            await reader.CompleteAsync().ConfigureAwait(false);
        }
    }

    public static async IAsyncEnumerable<CoapOption> ReadAsync(
        PipeReader source, CoapSerializerOptions limits, CoapCode code, [EnumeratorCancellation] CancellationToken cancellationToken)
    {
        Progress progress = new(limits, code);
        while (!progress.IsDone)
        {
            ReadResult result = await source.ReadAsync(cancellationToken).ConfigureAwait(false);
            if (progress.Take(source, in result) is { } option)
            {
                yield return option;
            }
        }
    }

    /// <summary>What was read so far.</summary>
    private sealed class Progress(CoapSerializerOptions limits, CoapCode code)
    {
        private const int SmallValue = 256;

        private int _number;
        private int _count;
        private long _offset;
        private bool _hasMarker;

        /// <summary>Whether there are no more options.</summary>
        public bool IsDone { get; private set; }

        /// <summary>Takes the next option from a pipe, if it is whole, and advances the pipe.</summary>
        /// <returns>The option; null if there is none yet, or no more.</returns>
        public CoapOption? Take(PipeReader source, in ReadResult result)
        {
            ReadOnlySequence<byte> buffer = result.Buffer;
            if (result.IsCanceled)
            {
                source.AdvanceTo(buffer.Start);
                throw new OperationCanceledException("Reading from the pipe was cancelled by CancelPendingRead.");
            }

            if (!_hasMarker && !buffer.IsEmpty && buffer.FirstSpan[0] == OptionSequenceReader.PayloadMarker)
            {
                _hasMarker = true;
                buffer = buffer.Slice(1);
            }

            if (_hasMarker || buffer.IsEmpty)
            {
                End(source, in buffer, result.IsCompleted);
                return null;
            }

            int number = _number;
            CoapMessageFormatViolation rule = CoapMessageFormatViolation.TooManyOptions;
            int offset = 0;
            int length = 0;
            if (_count < limits.MaxOptions)
            {
                rule = OptionSequenceReader.ReadHeader(in buffer, ref offset, ref number, out length);
            }

            if (rule == CoapMessageFormatViolation.None && length > buffer.Length - offset)
            {
                rule = CoapMessageFormatViolation.OptionValueTruncated;
                offset = (int)buffer.Length;
            }

            if (rule == CoapMessageFormatViolation.None)
            {
                ReadOnlySequence<byte> value = buffer.Slice(offset, length);
                CoapOption option = Make(number, in value);
                _number = number;
                _count++;
                _offset += offset + length;
                source.AdvanceTo(value.End);
                return option;
            }

            if (!result.IsCompleted
                && (rule is CoapMessageFormatViolation.OptionHeaderTruncated or CoapMessageFormatViolation.OptionValueTruncated))
            {
                source.AdvanceTo(buffer.Start, buffer.End);
                return null;
            }

            source.AdvanceTo(buffer.Start);
            throw new CoapFormatException(new CoapFormatError(rule, _offset + offset));
        }

        // At the marker, which needs a payload, or where the bytes end.
        private void End(PipeReader source, in ReadOnlySequence<byte> buffer, bool isCompleted)
        {
            IsDone = isCompleted || !buffer.IsEmpty;
            if (IsDone)
            {
                source.AdvanceTo(buffer.Start);
            }
            else
            {
                source.AdvanceTo(buffer.Start, buffer.End);
            }

            if (_hasMarker && isCompleted && buffer.IsEmpty)
            {
                throw new CoapFormatException(new CoapFormatError(CoapMessageFormatViolation.PayloadMissing, _offset));
            }
        }

        private CoapOption Make(int number, in ReadOnlySequence<byte> value)
        {
            if (value.IsSingleSegment)
            {
                return limits.Registry.Create(code, new OptionData(number, value.FirstSpan));
            }

            int length = (int)value.Length;
            Span<byte> bytes = length <= SmallValue ? stackalloc byte[length] : new byte[length];
            value.CopyTo(bytes);
            return limits.Registry.Create(code, new OptionData(number, bytes));
        }
    }
}
