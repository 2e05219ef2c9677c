using CoAP.NET.Options;

namespace CoAP.NET.Blockwise;

/// <summary>The body of a response, fetched block by block (RFC 7959 section 2.4).</summary>
/// <param name="messages">The messages of the request.</param>
internal sealed class BlockwiseDownload(TransferMessages messages)
{
    private const int MaxRestarts = 3;

    private DownloadTransfer _download = null!;
    private DownloadSink _sink = null!;
    private CoapResponse _first = null!;
    private int _skipped;
    private int _restarts;
    private long _transferred;

    // To ask again for the beginning is to make the request again, which only safe methods allow, and only when the message holds all of
    // it.
    private bool MayAskAgain =>
        messages.Template.Code.IsSafe && !messages.IsUploadedInBlocks
        && messages.Request.Request.Content?.Open is null && messages.Wishes?.Download is null;

    /// <summary>Fetches what is left of the body.</summary>
    /// <param name="response">The first response.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response with its whole body, or an error response.</returns>
    public Task<CoapResponse> RunAsync(CoapResponse response, CancellationToken cancellationToken)
    {
        if (messages.Wishes?.Overflow is { HasBegun: true })
        {
            // A caller that already reads the body must not get its beginning again.
            throw new CoapException("The transfer broke off while its body was read, and cannot begin again. Send the request anew.");
        }

        BlockValue beginning = messages.FirstWanted() ?? default;
        _download = new DownloadTransfer(beginning.ByteOffset, beginning.SizeExponent, messages.Wishes?.Download?.ETag)
        {
            RepeatsPayload = messages.Template.Code == CoapCode.Fetch && !messages.IsUploadedInBlocks,
        };
        _skipped = (int)((messages.Wishes?.Download?.Offset ?? 0) - beginning.ByteOffset);
        _sink = messages.Wishes?.Destination is { } destination
            ? new DownloadStream(destination)
            : new DownloadMemory(messages.Wishes?.Overflow?.MaxHeld ?? messages.Limits.MaxResponseBodySize);
        _first = response;
        return GoOnAsync(response, cancellationToken);
    }

    private async Task<CoapResponse> GoOnAsync(CoapResponse response, CancellationToken cancellationToken)
    {
        while (true)
        {
            bool isFirst = _download.First is null;
            _download.TakesBert = messages.Request.Channel.TakesBert;
            DownloadVerdict verdict = _download.OnResponse(response.Message);
            switch (verdict)
            {
                case DownloadVerdict.Error:
                    return response;
                case DownloadVerdict.Whole or DownloadVerdict.Block or DownloadVerdict.LastBlock:
                    // Blocks may be smaller than asked for, so that more than one of them lies before the place.
                    ReadOnlyMemory<byte> payload = response.Payload[Math.Min(_skipped, response.Payload.Length)..];
                    _skipped -= response.Payload.Length - payload.Length;
                    if (isFirst)
                    {
                        _first = response;
                        messages.Wishes?.Started?.TrySetResult(Assemble(response, default));
                    }

                    _transferred += payload.Length;
                    bool isAll = isFirst && verdict != DownloadVerdict.Block;
                    if (isAll && messages.Wishes?.Destination is null)
                    {
                        ReportDownload(_first, _transferred, 0);
                        return Assemble(response, payload);
                    }

                    if (!await TryTakeAsync(payload, cancellationToken).ConfigureAwait(false))
                    {
                        CoapResponse head = Assemble(_first, default);
                        messages.Wishes!.Overflow!.Begin(head, (reader, stop) =>
                            PassAsync(reader, response, payload, verdict == DownloadVerdict.Block, stop));
                        return head;
                    }

                    ReportDownload(_first, _transferred, response.Message.OptionsToRead?.Block2?.Number ?? 0);
                    if (verdict != DownloadVerdict.Block)
                    {
                        return Assemble(_first, _sink.ToPayload());
                    }

                    RememberDownload(response.Message.OptionsToRead!.Block2!.Value);
                    break;
                case DownloadVerdict.Changed:
                    if (!MayAskAgain || ++_restarts > MaxRestarts || !_sink.TryRestart())
                    {
                        throw messages.Refuse(_restarts > MaxRestarts
                            ? $"changed the representation {_restarts} times while it was downloaded. Try again when it is at rest."
                            : "changed the representation while it was downloaded, and it cannot be begun again here. Download it anew.",
                            isChanged: true);
                    }

                    messages.Counters.Add(CoapCounter.TransferRestarts);
                    BlockwiseLog.DownloadRestarted(messages.Logger, messages.Target);
                    _transferred = 0;
                    _download.Restart();
                    break;
                default:
                    throw messages.Refuse(Describe(verdict, response.Message, _download.Next));
            }

            response = await NextAsync(cancellationToken).ConfigureAwait(false);
        }
    }

    // The caller has the head of the response, and reads the body while the rest arrives.
    private async Task PassAsync(
        Stream reader, CoapResponse response, ReadOnlyMemory<byte> payload, bool isMore, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> held = _sink.ToPayload();
        _sink = new DownloadStream(reader);
        await _sink.WriteAsync(held, null, cancellationToken).ConfigureAwait(false);
        await _sink.WriteAsync(payload, null, cancellationToken).ConfigureAwait(false);
        ReportDownload(_first, _transferred, response.Message.OptionsToRead?.Block2?.Number ?? 0);
        if (isMore)
        {
            RememberDownload(response.Message.OptionsToRead!.Block2!.Value);
            CoapResponse next = await NextAsync(cancellationToken).ConfigureAwait(false);

            // An error in place of a later block.
            (await GoOnAsync(next, cancellationToken).ConfigureAwait(false)).EnsureSuccess();
        }

        messages.Conclude();
    }

    private Task<CoapResponse> NextAsync(CancellationToken cancellationToken) => _download.HasNumber
        ? messages.ExchangeAsync(_download.Compose(messages.Template), cancellationToken)
        : throw new CoapException(
            $"The response of {messages.Target} goes on after {_download.Offset} bytes, but there are no more numbers for blocks of its "
                + "size (RFC 7959 section 2.2).");

    // False for a body that must be read as a stream.
    private async ValueTask<bool> TryTakeAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        BodyOverflow? overflow = messages.Wishes?.Overflow is { HasBegun: false } held ? held : null;
        long? size = SizeOf(_first);

        // A size that is announced saves the waiting for what does not fit.
        if ((overflow is null || size is null || size <= overflow.MaxHeld)
            && await _sink.WriteAsync(payload, size, cancellationToken).ConfigureAwait(false))
        {
            return true;
        }

        return overflow is not null ? false : throw new CoapException(
            $"The response of {messages.Target} has more than {messages.Limits.MaxResponseBodySize} bytes, the most that is kept in memory. "
                + "Give it a Destination, or raise MaxResponseBodySize.");
    }

    private void RememberDownload(BlockValue block)
    {
        int size = block.IsBert ? 0 : block.Size;
        if (size != messages.Request.Channel.DownloadBlockSize)
        {
            messages.Request.Channel.DownloadBlockSize = size;
        }
    }

    private long? SizeOf(CoapResponse first) =>
        first.Message.OptionsToRead?.Size2 is { } size ? Math.Max(0, size - (messages.Wishes?.Download?.Offset ?? 0)) : null;

    private void ReportDownload(CoapResponse first, long transferred, int number)
    {
        // An empty response to an upload says nothing new.
        if (messages.Wishes?.Progress is { } progress && (transferred > 0 || messages.Template.Code.IsSafe))
        {
            progress.Report(new CoapProgress
            {
                BytesTransferred = transferred,
                TotalBytes = SizeOf(first),
                BlockNumber = number,
                ETag = first.Message.OptionsToRead?.ETag,
            });
        }
    }

    private static string Describe(DownloadVerdict verdict, CoapMessage response, BlockValue asked) => verdict switch
    {
        DownloadVerdict.NoBlock => $"answered {response.Code} without Block2 where block {asked} was asked for (RFC 7959 section 2.4).",
        DownloadVerdict.OtherBlock =>
            $"answered with block {response.OptionsToRead!.Block2} where block {asked} was asked for (RFC 7959 section 2.4).",
        DownloadVerdict.WrongLength =>
            $"sent {response.Payload.Length} bytes as block {response.OptionsToRead!.Block2} (RFC 7959 section 2.3).",
        _ => "sent a block with the reserved size exponent 7 (RFC 7959 section 2.2).",
    };

    // The response as if it had come in one message.
    private static CoapResponse Assemble(CoapResponse first, ReadOnlyMemory<byte> payload)
    {
        CoapMessage received = first.Message;
        CoapMessage message = new(received.Code)
        {
            Type = received.Type,
            MessageId = received.MessageId,
            Token = received.Token,
            Payload = payload
        };
        if (received.HasOptions)
        {
            CoapOptionCollection options = message.Options;
            options.AddAll(received.OptionsToRead!);
            options.Block1 = null;
            options.Block2 = null;
            options.Size2 = null;
        }

        return first.With(message);
    }
}
