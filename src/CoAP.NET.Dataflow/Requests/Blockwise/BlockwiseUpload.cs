using CoAP.NET.Options;

namespace CoAP.NET.Blockwise;

/// <summary>The body of a request, sent block by block (RFC 7959 section 2.5).</summary>
/// <param name="messages">The messages of the request.</param>
internal sealed class BlockwiseUpload(TransferMessages messages)
{
    // Some servers join the blocks of a body by their token (go-coap, node-coap). Over DTLS and TLS a token must not be used again (RFC
    // 9175 section 4.2), and those of a protected request belong to its keys.
    private readonly bool _sharesToken = messages.Request.Channel is { Carried: null, IsSecure: false };
    private CoapToken _token;

    /// <summary>Sends the body.</summary>
    /// <param name="answer">The response to the whole request; null if nothing was sent yet.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response to its last message.</returns>
    public async Task<CoapResponse> RunAsync(CoapResponse? answer, CancellationToken cancellationToken)
    {
        UploadBody body = messages.Request.Request.Content?.Open?.Invoke() ?? new UploadMemory(messages.Request.Message.Payload);
        await using (body.ConfigureAwait(false))
        {
            int whole = Math.Max(16, TransferSizes.Whole(messages.Request));
            (ReadOnlyMemory<byte> payload, bool more) = body.Length > whole
                ? (default, true)
                : await body.ReadAsync(0, whole, cancellationToken).ConfigureAwait(false);
            UploadTransfer upload = new(TransferSizes.Upload(messages.Request), isWhole: !more)
            {
                IsSizeKnown = messages.Request.Channel.IsReliable,
            };
            if (more)
            {
                (payload, more) = messages.Request.Channel.TakesBlocks
                    ? await ReadAsync(body, upload, cancellationToken).ConfigureAwait(false)
                    : throw TooLarge(body.Length);
            }

            while (true)
            {
                long offset = upload.Offset;
                int number = (int)(offset / upload.Fit.Unit);
                CoapResponse response = answer
                    ?? await SendAsync(NextBlock(upload, payload, more, body.Length), cancellationToken).ConfigureAwait(false);
                answer = null;
                switch (upload.OnResponse(response.Message, payload.Length, more))
                {
                    case UploadVerdict.Next:
                        Report(offset + payload.Length, body.Length, number);
                        RememberSize(upload);
                        break;
                    case UploadVerdict.Final:
                        if (response.Code == CoapCode.BadOption && !upload.IsWhole && messages.Request.Channel is
                            { IsReliable: true, TellsOfBlocks: false } channel)
                        {
                            channel.RefuseBlocks();
                        }

                        if (response.IsSuccess && payload.Length > 0)
                        {
                            Report(offset + payload.Length, body.Length, number);
                        }

                        if (upload.IsWhole)
                        {
                            // That of a stream too is a part of what a FETCH asks.
                            messages.Template.Payload = payload;
                        }

                        return response;
                    case UploadVerdict.Restart:
                        RememberSize(upload);
                        Restart(body, response.Code);
                        break;
                    case UploadVerdict.ContinueAfterTheEnd:
                        throw messages.Refuse(
                            "answered the last block with 2.31 Continue, as if more were to come (RFC 7959 section 2.9.1).");
                    case UploadVerdict.ReservedSize:
                        throw messages.Refuse("acknowledged a block with the reserved size exponent 7 (RFC 7959 section 2.2).");
                    default:
                        throw messages.Refuse(
                            $"acknowledged block {response.Message.OptionsToRead!.Block1} where block {number} was sent (RFC 7959 section "
                                + "2.3).");
                }

                upload.Refit(TransferSizes.Upload(messages.Request));
                (payload, more) = await ReadAsync(body, upload, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private async Task<CoapResponse> SendAsync(CoapMessage block, CancellationToken cancellationToken)
    {
        CoapResponse response = await messages.ExchangeAsync(block, cancellationToken, _token).ConfigureAwait(false);
        if (_sharesToken)
        {
            _token = block.Token;
        }

        return response;
    }

    private static async ValueTask<(ReadOnlyMemory<byte> Block, bool More)> ReadAsync(
        UploadBody body, UploadTransfer upload, CancellationToken cancellationToken)
    {
        ValueTask<(ReadOnlyMemory<byte>, bool)> reading = body.ReadAsync(upload.Offset, upload.Fit.Last, cancellationToken);
        (ReadOnlyMemory<byte> block, bool more) = await reading.ConfigureAwait(false);
        return more ? (block[..upload.Size], true) : (block, false);
    }

    private CoapTooLargeException TooLarge(long? length)
    {
        int max = messages.Request.Channel.MaxMessageSize;
        return new CoapTooLargeException(
            length,
            max,
            $"The body for {messages.Target} does not fit a message, which has at most {max} bytes there, and the server refused a block "
                + "with 4.02 Bad Option before (RFC 8323 section 5.3.2). Send less.");
    }

    private CoapMessage NextBlock(UploadTransfer upload, ReadOnlyMemory<byte> payload, bool more, long? length)
    {
        if (!upload.IsWhole)
        {
            if (!upload.HasNumber || length > UploadTransfer.Capacity(upload.SizeExponent))
            {
                throw new CoapException(
                    $"The body is too long for blocks of {upload.Size} bytes: there are 1,048,576 block numbers, enough "
                        + $"for {UploadTransfer.Capacity(upload.SizeExponent)} bytes (RFC 7959 section 2.2). Use larger blocks, or send it "
                        + "in parts to several resources.");
            }

            messages.BeginBlocks();
        }

        CoapMessage message = upload.Compose(messages.Template, payload, more, length, more ? null : messages.FirstWanted());
        if (!more && messages.Request.Message.Code.IsSafe && messages.Wishes is ({ Progress: not null } or { Destination: not null }))
        {
            // Asks for the size (RFC 7959 section 4).
            message.Options.Size2 = 0;
        }

        return message;
    }

    private void Restart(UploadBody body, CoapCode code)
    {
        if (!body.TryRestart())
        {
            throw new CoapBodyNotRepeatableException(code,
                $"{messages.Target} answered {code} and wants the body again from its beginning, but the stream cannot seek. Send a stream "
                    + "that can, or a file.");
        }

        messages.Counters.Add(CoapCounter.TransferRestarts);
        BlockwiseLog.UploadRestarted(messages.Logger, messages.Target, code);
    }

    private void RememberSize(UploadTransfer upload)
    {
        if (messages.IsUploadedInBlocks && upload.SizeExponent < TransferSizes.Upload(messages.Request).SizeExponent)
        {
            messages.Request.Channel.UploadBlockSize = upload.Size;
            BlockwiseLog.SmallerBlocks(messages.Logger, messages.Target, upload.Size);
        }
    }

    private void Report(long transferred, long? total, int number) => messages.Wishes?.Progress?.Report(
        new CoapProgress { BytesTransferred = transferred, TotalBytes = total, BlockNumber = number, IsUpload = true });
}

/// <summary>A body in memory; nothing is copied.</summary>
/// <param name="bytes">The body.</param>
internal sealed class UploadMemory(ReadOnlyMemory<byte> bytes) : UploadBody
{
    public override long? Length => bytes.Length;

    public override ValueTask<(ReadOnlyMemory<byte> Block, bool More)> ReadAsync(long offset, int size, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> rest = bytes[(int)offset..];
        return ValueTask.FromResult(rest.Length > size ? (rest[..size], true) : (rest, false));
    }

    public override bool TryRestart() => true;

    public override ValueTask DisposeAsync() => ValueTask.CompletedTask;
}
