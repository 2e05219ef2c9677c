using CoAP.NET.Options;

namespace CoAP.NET.Blockwise;

/// <summary>The body of a response, fetched block by block (RFC 7959 section 2.4).</summary>
/// <param name="messages">The messages of the request.</param>
internal sealed class BlockwiseDownload(TransferMessages messages)
{
    private const int MaxRestarts = 3;

    // To ask again for the beginning is to make the request again, which only safe methods allow, and only when the message holds all of
    // it.
    private bool MayAskAgain =>
        messages.Template.Code.IsSafe && !messages.IsUploadedInBlocks
        && messages.Request.Request.Content?.Open is null && messages.Wishes?.Download is null;

    /// <summary>Fetches what is left of the body.</summary>
    /// <param name="response">The first response.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response with its whole body, or an error response.</returns>
    public async Task<CoapResponse> RunAsync(CoapResponse response, CancellationToken cancellationToken)
    {
        BlockValue beginning = messages.FirstWanted() ?? default;
        DownloadTransfer download = new(beginning.ByteOffset, beginning.SizeExponent, messages.Wishes?.Download?.ETag)
        {
            RepeatsPayload = messages.Template.Code == CoapCode.Fetch && !messages.IsUploadedInBlocks,
        };
        int skipped = (int)((messages.Wishes?.Download?.Offset ?? 0) - beginning.ByteOffset);
        DownloadSink sink = messages.Wishes?.Destination is { } destination
            ? new DownloadStream(destination)
            : messages.Wishes?.Overflow is { } overflow ? new DownloadOverflow(overflow)
            : new DownloadMemory(messages.Limits.MaxResponseBodySize);
        CoapResponse first = response;
        long transferred = 0;
        for (int restarts = 0; ;)
        {
            bool isFirst = download.First is null;
            download.TakesBert = messages.Request.Channel.TakesBert;
            DownloadVerdict verdict = download.OnResponse(response.Message);
            switch (verdict)
            {
                case DownloadVerdict.Error:
                    return response;
                case DownloadVerdict.Whole or DownloadVerdict.Block or DownloadVerdict.LastBlock:
                    // Blocks may be smaller than asked for, so that more than one of them lies before the place.
                    ReadOnlyMemory<byte> payload = response.Payload[Math.Min(skipped, response.Payload.Length)..];
                    skipped -= response.Payload.Length - payload.Length;
                    if (isFirst)
                    {
                        first = response;
                        messages.Wishes?.Started?.TrySetResult(Assemble(response, default));
                        messages.Wishes?.Overflow?.Head = Assemble(response, default);
                    }

                    transferred += payload.Length;
                    bool isAll = isFirst && verdict != DownloadVerdict.Block;
                    if (isAll && messages.Wishes?.Destination is null)
                    {
                        ReportDownload(first, transferred, 0);
                        return Assemble(response, payload);
                    }

                    await TakeAsync(sink, payload, first, cancellationToken).ConfigureAwait(false);
                    ReportDownload(first, transferred, response.Message.OptionsToRead?.Block2?.Number ?? 0);
                    if (verdict != DownloadVerdict.Block)
                    {
                        return Assemble(first, sink.ToPayload());
                    }

                    RememberDownload(response.Message.OptionsToRead!.Block2!.Value);
                    break;
                case DownloadVerdict.Changed:
                    if (!MayAskAgain || ++restarts > MaxRestarts || !sink.TryRestart())
                    {
                        throw messages.Refuse(restarts > MaxRestarts
                            ? $"changed the representation {restarts} times while it was downloaded. Try again when it is at rest."
                            : "changed the representation while it was downloaded, and it cannot be begun again here. Download it anew.");
                    }

                    messages.Counters.Add(CoapCounter.TransferRestarts);
                    Log.DownloadRestarted(messages.Logger, messages.Target);
                    transferred = 0;
                    download.Restart();
                    break;
                default:
                    throw messages.Refuse(Describe(verdict, response.Message, download.Next));
            }

            if (!download.HasNumber)
            {
                throw new CoapException(
                    $"The response of {messages.Target} goes on after {download.Offset} bytes, but there are no more numbers for blocks of "
                        + "its size (RFC 7959 section 2.2).");
            }

            response = await messages.ExchangeAsync(download.Compose(messages.Template), cancellationToken).ConfigureAwait(false);
        }
    }

    private async ValueTask TakeAsync(DownloadSink sink, ReadOnlyMemory<byte> payload, CoapResponse first,
        CancellationToken cancellationToken)
    {
        if (!await sink.WriteAsync(payload, SizeOf(first), cancellationToken).ConfigureAwait(false))
        {
            throw new CoapException(
                $"The response of {messages.Target} has more than {messages.Limits.MaxResponseBodySize} bytes, the most that is kept in "
                    + "memory. Give it a Destination, or raise MaxResponseBodySize.");
        }
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
