using CoAP.NET.Blockwise;
using CoAP.NET.Options;

namespace CoAP.NET.Requesting;

// The body of the response (RFC 7959 section 2.4).
internal sealed partial class BlockwiseTransfer
{
    // To ask again for the beginning is to make the request again, which only safe methods allow, and only when the message holds all of it.
    private bool MayAskAgain => _template.Code.IsSafe && !_isUploadedInBlocks && _request.Request.Content?.Open is null && _wishes?.Download is null;

    private async Task<CoapResponse> DownloadAsync(CoapResponse response, CancellationToken cancellationToken)
    {
        BlockValue beginning = FirstWanted() ?? default;
        DownloadTransfer download = new(beginning.ByteOffset, beginning.SizeExponent, _wishes?.Download?.ETag)
        {
            RepeatsPayload = _template.Code == CoapCode.Fetch && !_isUploadedInBlocks,
        };
        int skipped = (int)((_wishes?.Download?.Offset ?? 0) - beginning.ByteOffset);
        DownloadSink sink = _wishes?.Destination is { } destination ? new DownloadStream(destination) : new DownloadMemory(_limits.MaxResponseBodySize);
        CoapResponse first = response;
        long transferred = 0;
        for (int restarts = 0; ;)
        {
            bool isFirst = download.First is null;
            download.TakesBert = _request.Channel.TakesBert;
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
                        _wishes?.Started?.Invoke(Assemble(response, default));
                    }

                    transferred += payload.Length;
                    bool isAll = isFirst && verdict != DownloadVerdict.Block;
                    if (isAll && _wishes?.Destination is null)
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
                        throw Refuse(restarts > MaxRestarts
                            ? $"changed the representation {restarts} times while it was downloaded. Try again when it is at rest."
                            : "changed the representation while it was downloaded, and it cannot be begun again here. Download it anew.");
                    }

                    _counters.Add(CoapCounter.TransferRestarts);
                    Log.DownloadRestarted(_step.Environment.Logger, Target);
                    transferred = 0;
                    download.Restart();
                    break;
                default:
                    throw Refuse(Describe(verdict, response.Message, download.Next));
            }

            if (!download.HasNumber)
            {
                throw new CoapException($"The response of {Target} goes on after {download.Offset} bytes, but there are no more numbers for blocks of its size (RFC 7959 section 2.2).");
            }

            response = await ExchangeAsync(download.Compose(_template), cancellationToken).ConfigureAwait(false);
        }
    }

    private async ValueTask TakeAsync(DownloadSink sink, ReadOnlyMemory<byte> payload, CoapResponse first, CancellationToken cancellationToken)
    {
        if (!await sink.WriteAsync(payload, SizeOf(first), cancellationToken).ConfigureAwait(false))
        {
            throw new CoapException(
                $"The response of {Target} has more than {_limits.MaxResponseBodySize} bytes, the most that is kept in memory. Give it a Destination, or raise MaxResponseBodySize.");
        }
    }

    // The block to ask for in the first message; null to leave the size to the server.
    private BlockValue? FirstWanted()
    {
        if (_wishes?.Download is { Offset: > 0 and long offset })
        {
            if (!_request.Channel.TakesBlocks)
            {
                throw new CoapException($"{Target} did not say that it knows blocks (RFC 8323 section 5.3.2), so that nothing but the whole can be asked of it. Download it from the beginning.");
            }

            int exponent = TransferSizes.DownloadExponent(_request);
            int unit = BlockFit.UnitOf(exponent);
            return offset < UploadTransfer.Capacity(exponent)
                ? new BlockValue((int)(offset / unit), more: false, exponent)
                : throw new CoapException($"There is no block of {unit} bytes that far behind: {UploadTransfer.Capacity(exponent)} bytes have numbers (RFC 7959 section 2.2). Use larger blocks.");
        }

        return TransferSizes.EarlyExponent(_request) is { } early ? new BlockValue(0, more: false, early) : null;
    }

    private void RememberDownload(BlockValue block)
    {
        int size = block.IsBert ? 0 : block.Size;
        if (size != _request.Channel.DownloadBlockSize)
        {
            _request.Channel.DownloadBlockSize = size;
        }
    }

    private long? SizeOf(CoapResponse first) =>
        first.Message.OptionsToRead?.Size2 is { } size ? Math.Max(0, size - (_wishes?.Download?.Offset ?? 0)) : null;

    private void ReportDownload(CoapResponse first, long transferred, int number)
    {
        // An empty response to an upload says nothing new.
        if (_wishes?.Progress is { } progress && (transferred > 0 || _template.Code.IsSafe))
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
        DownloadVerdict.OtherBlock => $"answered with block {response.OptionsToRead!.Block2} where block {asked} was asked for (RFC 7959 section 2.4).",
        DownloadVerdict.WrongLength => $"sent {response.Payload.Length} bytes as block {response.OptionsToRead!.Block2} (RFC 7959 section 2.3).",
        _ => "sent a block with the reserved size exponent 7 (RFC 7959 section 2.2).",
    };
}
