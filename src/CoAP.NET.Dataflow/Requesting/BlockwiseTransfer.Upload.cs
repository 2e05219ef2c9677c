using CoAP.NET.Blockwise;
using CoAP.NET.Options;

namespace CoAP.NET.Requesting;

// The body of the request (RFC 7959 section 2.5).
internal sealed partial class BlockwiseTransfer
{
    private async Task<CoapResponse> UploadAsync(CoapResponse? answer, CancellationToken cancellationToken)
    {
        UploadBody body = _request.Request.Content?.Open?.Invoke() ?? new UploadMemory(_request.Message.Payload);
        await using (body.ConfigureAwait(false))
        {
            int whole = Math.Max(16, TransferSizes.Whole(_request));
            (ReadOnlyMemory<byte> payload, bool more) = body.Length > whole ? (default, true) : await body.ReadAsync(0, whole, cancellationToken).ConfigureAwait(false);
            UploadTransfer upload = new(TransferSizes.Upload(_request), isWhole: !more) { IsSizeKnown = _request.Channel.IsReliable };
            if (more)
            {
                (payload, more) = _request.Channel.TakesBlocks ? await ReadAsync(body, upload, cancellationToken).ConfigureAwait(false) : throw TooLarge(body.Length);
            }

            while (true)
            {
                long offset = upload.Offset;
                int number = (int)(offset / upload.Fit.Unit);
                CoapResponse response = answer ?? await ExchangeAsync(NextBlock(upload, payload, more, body.Length), cancellationToken).ConfigureAwait(false);
                answer = null;
                switch (upload.OnResponse(response.Message, payload.Length, more))
                {
                    case UploadVerdict.Next:
                        Report(offset + payload.Length, body.Length, number);
                        RememberSize(upload);
                        break;
                    case UploadVerdict.Final:
                        if (response.IsSuccess && payload.Length > 0)
                        {
                            Report(offset + payload.Length, body.Length, number);
                        }

                        if (upload.IsWhole)
                        {
                            // That of a stream too is a part of what a FETCH asks.
                            _template.Payload = payload;
                        }

                        return response;
                    case UploadVerdict.Restart:
                        Restart(body, response.Code);
                        RememberSize(upload);
                        break;
                    case UploadVerdict.ContinueAfterTheEnd:
                        throw Refuse("answered the last block with 2.31 Continue, as if more were to come (RFC 7959 section 2.9.1).");
                    case UploadVerdict.ReservedSize:
                        throw Refuse("acknowledged a block with the reserved size exponent 7 (RFC 7959 section 2.2).");
                    default:
                        throw Refuse($"acknowledged block {response.Message.OptionsToRead!.Block1} where block {number} was sent (RFC 7959 section 2.3).");
                }

                upload.Refit(TransferSizes.Upload(_request));
                (payload, more) = await ReadAsync(body, upload, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private static async ValueTask<(ReadOnlyMemory<byte> Block, bool More)> ReadAsync(UploadBody body, UploadTransfer upload, CancellationToken cancellationToken)
    {
        (ReadOnlyMemory<byte> block, bool more) = await body.ReadAsync(upload.Offset, upload.Fit.Last, cancellationToken).ConfigureAwait(false);
        return more ? (block[..upload.Size], true) : (block, false);
    }

    private CoapTooLargeException TooLarge(long? length)
    {
        int max = _request.Channel.MaxMessageSize;
        return new CoapTooLargeException(
            length,
            max,
            $"The body for {Target} does not fit a message, which has at most {max} bytes there, and the server did not say that it knows blocks (RFC 8323 section 5.3.2). Send less.");
    }

    private CoapMessage NextBlock(UploadTransfer upload, ReadOnlyMemory<byte> payload, bool more, long? length)
    {
        if (!upload.IsWhole)
        {
            if (!upload.HasNumber || length > UploadTransfer.Capacity(upload.SizeExponent))
            {
                throw new CoapException(
                    $"The body is too long for blocks of {upload.Size} bytes: there are 1,048,576 block numbers, enough for {UploadTransfer.Capacity(upload.SizeExponent)} bytes (RFC 7959 section 2.2). Use larger blocks, or send it in parts to several resources.");
            }

            _isUploadedInBlocks = true;
            Tag();
        }

        CoapMessage message = upload.Compose(_template, payload, more, length, more ? null : FirstWanted());
        if (!more && _request.Message.Code.IsSafe && (_wishes?.Progress ?? (object?)_wishes?.Destination) is not null)
        {
            // Asks for the size (RFC 7959 section 4).
            message.Options.Size2 = 0;
        }

        return message;
    }

    // The same tag stands in all messages of the operation, those of the response's body too (RFC 9175 section 3.4).
    private void Tag()
    {
        if (_isTagged)
        {
            return;
        }

        _isTagged = true;
        if (_template.Options.Contains(OptionNumber.RequestTag))
        {
            return;
        }

        Span<byte> tag = stackalloc byte[4];
        int resource = UploadTags.ResourceOf(_template);
        if (_step.Tags.Begin(_request.Channel.AddressHash, resource, tag))
        {
            _template.Options.Add(OptionNumber.RequestTag, tag);
        }
        else
        {
            _untagged = resource;
        }
    }

    private void Restart(UploadBody body, CoapCode code)
    {
        if (!body.TryRestart())
        {
            throw new CoapException($"{Target} answered {code} and wants the body again from its beginning, but the stream cannot seek. Send a stream that can, or a file.");
        }

        _counters.Add(CoapCounter.TransferRestarts);
        Log.UploadRestarted(_step.Environment.Logger, Target, code);
    }

    private void RememberSize(UploadTransfer upload)
    {
        if (_isUploadedInBlocks && upload.SizeExponent < TransferSizes.Upload(_request).SizeExponent)
        {
            _request.Channel.UploadBlockSize = upload.Size;
            Log.SmallerBlocks(_step.Environment.Logger, Target, upload.Size);
        }
    }

    private void Report(long transferred, long? total, int number) =>
        _wishes?.Progress?.Report(new CoapProgress { BytesTransferred = transferred, TotalBytes = total, BlockNumber = number, IsUpload = true });
}
