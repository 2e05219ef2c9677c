using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise.Client;

/// <summary>
/// The Block2 phase of a request, as the client sees it (RFC 7959 sections 2.4 and 2.7): which block is asked for next, whether a response
/// is that block of that representation, and where its bytes go.
/// </summary>
internal sealed class BlockDownload(BlockwiseTransfer transfer)
{
    private const int MaxRestarts = 3;

    private DownloadBody _body = null!;

    // The response with the first block of the representation. None before it came.
    private CoapResponse? _first;

    // Where the next block begins, in bytes, and the size exponent to ask with: that of the last block.
    private long _offset;
    private int _sizeExponent;
    private int _skipped;
    private int _restarts;
    private long _transferred;

    // To ask again for the beginning is to make the request again, which only safe methods allow, and only when the message holds all of
    // it.
    private bool MayAskAgain =>
        transfer.Template.Code.IsSafe && !transfer.IsUploadedInBlocks
        && transfer.Request.Request.Content?.Open is null && transfer.Settings?.Download is null;

    // Size exponent 7 may lose its meaning on the way (RFC 8323 section 6).
    private BlockValue Next => BlockValue.FromOffset(
        _offset, more: false,
        PeerBlockwiseState.TakesBert(transfer.Channel) ? _sizeExponent : Math.Min(_sizeExponent, BlockValue.MaxSizeExponent));

    /// <summary>Fetches what is left of the body.</summary>
    /// <param name="response">The first response.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response with its whole body, or an error response.</returns>
    public Task<CoapResponse> RunAsync(CoapResponse response, CancellationToken cancellationToken)
    {
        if (transfer.Settings?.OpenedResponse is { IsStreamed: true })
        {
            // A caller that already reads the body must not get its beginning again.
            throw new CoapException("The transfer broke off while its body was read, and cannot begin again. Send the request again.");
        }

        BlockValue beginning = transfer.FirstWanted() ?? default;
        _offset = beginning.ByteOffset;
        _sizeExponent = beginning.SizeExponent;
        _skipped = (int)((transfer.Settings?.Download?.Offset ?? 0) - _offset);
        _body = transfer.Settings?.Destination is { } destination
            ? new DownloadBody(destination)
            : new DownloadBody(transfer.Settings?.OpenedResponse?.MaxInMemory ?? transfer.Limits.Blockwise.MaxResponseBodySize);
        return ReceiveAsync(response, cancellationToken);
    }

    private async Task<CoapResponse> ReceiveAsync(CoapResponse response, CancellationToken cancellationToken)
    {
        while (response.Message.Code.IsSuccess)
        {
            BlockValue? block = response.Message.OptionsToRead?.Block2;
            Check(response.Message, block);
            if (IsChanged(response.Message, block))
            {
                Restart();
                response = await NextAsync(cancellationToken).ConfigureAwait(false);
                continue;
            }

            bool isFirst = _first is null;
            _first ??= response;
            if (isFirst)
            {
                transfer.Settings?.Started?.TrySetResult(Assemble(response, default));
            }

            if (block is { } taken)
            {
                _offset += response.Payload.Length;
                _sizeExponent = taken.SizeExponent;
            }

            // Blocks may be smaller than asked for, so that more than one of them lies before the place.
            ReadOnlyMemory<byte> payload = response.Payload[Math.Min(_skipped, response.Payload.Length)..];
            _skipped -= response.Payload.Length - payload.Length;
            _transferred += payload.Length;
            bool isMore = block is { More: true };
            if (isFirst && !isMore && transfer.Settings?.Destination is null)
            {
                Report(0);
                return Assemble(response, payload);
            }

            if (!await TryTakeAsync(payload, cancellationToken).ConfigureAwait(false))
            {
                CoapResponse head = Assemble(_first, default);
                CoapToken token = TokenAfter(response, block);
                transfer.Settings!.OpenedResponse!.Begin(head, (reader, stop) => PassAsync(reader, payload, block, token, stop));
                return head;
            }

            Report(block?.Number ?? 0);
            if (!isMore)
            {
                return Assemble(_first, _body.ToPayload());
            }

            RememberSize(block!.Value);
            response = await NextAsync(cancellationToken, TokenAfter(response, block)).ConfigureAwait(false);
        }

        return response;
    }

    // Throws for a response that is not the block that was asked for. Without Block2 it is the whole, which only the beginning can be: a
    // shorter representation may fit into one message.
    private void Check(CoapMessage response, BlockValue? block)
    {
        int length = response.Payload.Length;
        string? fault = block switch
        {
            null => _offset > 0 && (_first is not null || IsExpected(response))
                ? $"answered {response.Code} without Block2 where block {Next} was asked for (RFC 7959 section 2.4)."
                : null,
            { IsBert: true } when !PeerBlockwiseState.TakesBert(transfer.Channel) =>
                "sent a block with the reserved size exponent 7 (RFC 7959 section 2.2).",
            { } other when other.ByteOffset != _offset =>
                $"answered with block {other} where block {Next} was asked for (RFC 7959 section 2.4).",
            { } taken when !BlockPayloadSize.IsLength(taken, length) => $"sent {length} bytes as block {taken} (RFC 7959 section 2.3).",
            _ => null,
        };
        if (fault is not null)
        {
            throw transfer.Refuse(fault);
        }
    }

    // Whether a block belongs to another representation than the one before, or than the one that the caller wants the rest of.
    private bool IsChanged(CoapMessage response, BlockValue? block) =>
        _first is null ? !IsExpected(response) : block is not null && !IsSame(_first.Message, response);

    private bool IsExpected(CoapMessage response) =>
        transfer.Settings?.Download?.ETag is not { } tag
            || (response.OptionsToRead is { } options && options.TryGetValue(OptionNumber.ETag, out ReadOnlySpan<byte> value)
                && tag.Matches(value));

    // An added or removed tag is another representation too: it is unknown to which one the blocks without tag belong.
    private static bool IsSame(CoapMessage first, CoapMessage response) =>
        HaveSame(OptionNumber.ETag, first, response)
            && (response.OptionsToRead!.ContentFormat is not { } format || format == first.OptionsToRead!.ContentFormat);

    /// <summary>Whether two messages have the same value of an option, or both have none.</summary>
    public static bool HaveSame(int option, CoapMessage first, CoapMessage other) =>
        first.OptionsToRead!.TryGetValue(option, out ReadOnlySpan<byte> expected)
            == other.OptionsToRead!.TryGetValue(option, out ReadOnlySpan<byte> came) && expected.SequenceEqual(came);

    private void Restart()
    {
        if (!MayAskAgain || ++_restarts > MaxRestarts || !_body.TryRestart())
        {
            throw transfer.Refuse(_restarts > MaxRestarts
                ? $"changed the representation {_restarts} times while it was downloaded. Try again when it no longer changes."
                : "changed the representation while it was downloaded, and the download cannot start again here. Download it again.",
                isChanged: true);
        }

        transfer.Counters.Add(CoapCounter.TransferRestarts);
        BlockwiseLog.DownloadRestarted(transfer.Logger, transfer.Target);
        _first = null;
        _offset = 0;
        _transferred = 0;
    }

    // The caller has the head of the response, and reads the body while the rest arrives.
    private async Task PassAsync(
        Stream reader, ReadOnlyMemory<byte> payload, BlockValue? block, CoapToken token, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte> held = _body.ToPayload();
        _body = new DownloadBody(reader);
        await _body.WriteAsync(held, null, cancellationToken).ConfigureAwait(false);
        await _body.WriteAsync(payload, null, cancellationToken).ConfigureAwait(false);
        Report(block?.Number ?? 0);
        if (block is { More: true } taken)
        {
            RememberSize(taken);
            CoapResponse next = await NextAsync(cancellationToken, token).ConfigureAwait(false);

            // An error in place of a later block.
            (await ReceiveAsync(next, cancellationToken).ConfigureAwait(false)).EnsureSuccess();
        }

        transfer.Conclude();
    }

    // A server that finds the rest of a response by the token executes a request with another token again: only a safe method allows
    // that. The token of an observation belongs to its notifications (RFC 7959 section 2.6).
    private CoapToken TokenAfter(CoapResponse response, BlockValue? block) =>
        transfer.Template.Code.IsSafe ? default : transfer.TokenAfter(response.Message, block);

    private Task<CoapResponse> NextAsync(CancellationToken cancellationToken, CoapToken token = default) =>
        _offset / BlockPayloadSize.UnitOf(_sizeExponent) <= BlockValue.MaxNumber
            ? transfer.ExchangeAsync(Compose(), cancellationToken, token)
            : throw new CoapException(
                $"The response of {transfer.Target} goes on after {_offset} bytes, but there are no more numbers for blocks of its size "
                    + "(RFC 7959 section 2.2).");

    // The request for the next block: what the request had before, but no Block1, no body and no Observe (RFC 7959 sections 2.6 and 2.7).
    // An ETag would be answered 2.03 in the middle, so later blocks have none; If-None-Match was decided with the first one.
    private CoapMessage Compose()
    {
        CoapMessage template = transfer.Template;
        CoapMessage message = new(template.Code) { Type = template.Type };
        CoapOptionCollection options = message.Options;
        if (template.HasOptions)
        {
            options.AddAll(template.OptionsToRead!);
        }

        options.Block1 = null;
        options.Size1 = null;
        options.Observe = null;
        options.Size2 = null;
        if (_offset > 0)
        {
            options.IfNoneMatch = false;
            options.ETag = null;
        }

        // The payload of a FETCH in one message is a part of what is asked for (RFC 8132 section 2.1).
        if (_offset == 0 || (template.Code == CoapCode.Fetch && !transfer.IsUploadedInBlocks))
        {
            message.Payload = template.Payload;
        }

        options.Block2 = Next;
        return message;
    }

    // False for a body that must be read as a stream.
    private async ValueTask<bool> TryTakeAsync(ReadOnlyMemory<byte> payload, CancellationToken cancellationToken)
    {
        CoapOpenedResponse? opened = transfer.Settings?.OpenedResponse is { IsStreamed: false } held ? held : null;
        long? size = Size();

        // A size that is announced saves the waiting for what does not fit.
        if ((opened is null || size is null || size <= opened.MaxInMemory)
            && await _body.WriteAsync(payload, size, cancellationToken).ConfigureAwait(false))
        {
            return true;
        }

        return opened is not null ? false : throw new CoapException(
            $"The response of {transfer.Target} has more than {transfer.Limits.Blockwise.MaxResponseBodySize} bytes, the most that is kept "
                + "in memory. Give it a Destination, or raise MaxResponseBodySize.");
    }

    private void RememberSize(BlockValue block)
    {
        int size = block.IsBert ? 0 : block.Size;
        PeerBlockwiseState? state = PeerBlockwiseState.Of(transfer.Channel);
        if (size != (state?.DownloadBlockSize ?? 0))
        {
            (state ?? PeerBlockwiseState.GetOrAdd(transfer.Channel)).DownloadBlockSize = size;
        }
    }

    private long? Size() => _first!.Message.OptionsToRead?.Size2 is { } size
        ? Math.Max(0, size - (transfer.Settings?.Download?.Offset ?? 0))
        : null;

    private void Report(int number)
    {
        // An empty response to an upload says nothing new.
        if (transfer.Settings?.Progress is { } progress && (_transferred > 0 || transfer.Template.Code.IsSafe))
        {
            progress.Report(new CoapProgress
            {
                BytesTransferred = _transferred,
                TotalBytes = Size(),
                BlockNumber = number,
                ETag = _first!.Message.OptionsToRead?.ETag,
            });
        }
    }

    /// <summary>The response as if it had come in one message.</summary>
    public static CoapResponse Assemble(CoapResponse first, ReadOnlyMemory<byte> payload)
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
            options.Remove(OptionNumber.QBlock2);
            options.Size2 = null;
        }

        return first.With(message);
    }
}
