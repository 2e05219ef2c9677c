using CoAP.NET.Requests;

namespace CoAP.NET.Blockwise.Client;

/// <summary>
/// The Block1 phase of a request, as the client sees it (RFC 7959 sections 2.3, 2.5 and 2.9): which block goes out next, and what an answer
/// means. Counts in bytes, not in blocks: then a change of the block size needs no rule of its own.
/// </summary>
internal sealed class BlockUpload(BlockwiseTransfer transfer)
{
    private CoapToken _token;

    // How many bytes of the body the server took; the next block begins there.
    private long _offset;
    private BlockPayloadSize _fit;

    // Whether the body goes out at once and without Block1.
    private bool _isWhole;
    private bool _isShrunk;
    private bool _isRestarted;

    /// <summary>Sends the body.</summary>
    /// <param name="answer">The response to the whole request; null if nothing was sent yet.</param>
    /// <param name="cancellationToken">Stops it.</param>
    /// <returns>The response to its last message.</returns>
    public async Task<CoapResponse> RunAsync(CoapResponse? answer, CancellationToken cancellationToken)
    {
        UploadBody body = transfer.Request.Request.Content?.Open?.Invoke() ?? new UploadBody(transfer.Request.Message.Payload);
        await using (body.ConfigureAwait(false))
        {
            int whole = Math.Max(16, RequestBlockSizes.Whole(transfer.Request));
            (ReadOnlyMemory<byte> payload, bool more) = body.Length > whole
                ? (default, true)
                : await body.ReadAsync(0, whole, cancellationToken).ConfigureAwait(false);
            _fit = RequestBlockSizes.Upload(transfer.Request);
            _isWhole = !more;
            if (more)
            {
                (payload, more) = PeerBlockwiseState.TakesBlocks(transfer.Channel)
                    ? await ReadAsync(body, cancellationToken).ConfigureAwait(false)
                    : throw TooLarge(body.Length);
            }

            while (true)
            {
                long offset = _offset;
                int number = (int)(offset / _fit.Unit);
                CoapResponse response = answer
                    ?? await SendAsync(NextBlock(payload, more, body.Length), cancellationToken).ConfigureAwait(false);
                answer = null;
                if (IsTaken(response.Message, number, payload.Length, more))
                {
                    Report(offset + payload.Length, body.Length, number);
                    RememberSize();
                }
                else if (MustRestart(response.Message, payload.Length))
                {
                    RememberSize();
                    Restart(body, response.Code);
                }
                else
                {
                    if (response.Code == CoapCode.BadOption && !_isWhole && transfer.Channel is
                        { IsReliable: true, Connection.Capabilities.ReportsBlockSupport: false } channel)
                    {
                        PeerBlockwiseState.GetOrAdd(channel.Wire).RefusesBlocks = true;
                    }

                    if (response.IsSuccess && payload.Length > 0)
                    {
                        Report(offset + payload.Length, body.Length, number);
                    }

                    if (_isWhole)
                    {
                        // That of a stream too is a part of what a FETCH asks.
                        transfer.Template.Payload = payload;
                    }

                    return response;
                }

                Refit(RequestBlockSizes.Upload(transfer.Request));
                (payload, more) = await ReadAsync(body, cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private async Task<CoapResponse> SendAsync(CoapMessage block, CancellationToken cancellationToken)
    {
        CoapResponse response = await transfer.ExchangeAsync(block, cancellationToken, _token).ConfigureAwait(false);
        _token = transfer.TokenAfter(response.Message, response.Message.OptionsToRead?.Block1);
        return response;
    }

    private async ValueTask<(ReadOnlyMemory<byte> Block, bool More)> ReadAsync(UploadBody body, CancellationToken cancellationToken)
    {
        (ReadOnlyMemory<byte> block, bool more) = await body.ReadAsync(_offset, _fit.Last, cancellationToken).ConfigureAwait(false);
        return more ? (block[.._fit.Size], true) : (block, false);
    }

    // Whether the server took a block, so that the next one goes out. Otherwise this is the response to the whole request, or an error.
    private bool IsTaken(CoapMessage response, int number, int sent, bool more)
    {
        if (!response.Code.IsSuccess)
        {
            return false;
        }

        BlockValue? block = response.OptionsToRead?.Block1;
        if (!_isWhole && block is { } taken)
        {
            if (taken.IsBert && _fit.SizeExponent != BlockValue.BertSizeExponent)
            {
                throw transfer.Refuse("acknowledged a block with the reserved size exponent 7 (RFC 7959 section 2.2).");
            }

            if (taken.Number != number)
            {
                throw transfer.Refuse($"acknowledged block {taken} where block {number} was sent (RFC 7959 section 2.3).");
            }
        }

        if (_isWhole || !more)
        {
            return response.Code != CoapCode.Continue ? false : throw transfer.Refuse(
                "answered the last block with 2.31 Continue, as if more were to come (RFC 7959 section 2.9.1).");
        }

        if (block is null && response.Code != CoapCode.Continue)
        {
            // It answers the request and not the block: the server had enough.
            return false;
        }

        // A server that works block by block answers each one with a code of its own and M=0 (RFC 7959 figure 8); a 2.31 without Block1 is
        // matched by its token.
        _offset += sent;
        Shrink(block?.SizeExponent ?? _fit.SizeExponent);
        return true;
    }

    // Whether an error says that the body goes out once more from its beginning, in other blocks.
    private bool MustRestart(CoapMessage response, int sent)
    {
        BlockValue? block = response.OptionsToRead?.Block1;

        // Over a connection the server said what fits a message (RFC 8323 section 5.3.1), so 4.13 without Block1 speaks of the body.
        if (response.Code == CoapCode.RequestEntityTooLarge && !_isShrunk
            && !(_isWhole && transfer.Channel.IsReliable && block is null))
        {
            // The hint is a smaller size, or Block1 where there was none (RFC 7959 section 2.9.3).
            int wanted = Math.Min(_fit.SizeExponent, block?.SizeExponent ?? _fit.SizeExponent);
            while (_isWhole && wanted >= 0 && (wanted < _fit.SizeExponent ? 16 << wanted : _fit.Size) >= sent)
            {
                wanted--;
            }

            if (wanted >= 0 && (_isWhole || wanted < _fit.SizeExponent))
            {
                _isShrunk = true;
                _isWhole = false;
                Shrink(wanted);
                return true;
            }
        }
        else if (response.Code == CoapCode.RequestEntityIncomplete && !_isWhole && !_isRestarted)
        {
            _isRestarted = true;
            return true;
        }

        return false;
    }

    private void Shrink(int sizeExponent)
    {
        if (sizeExponent < _fit.SizeExponent)
        {
            _fit = BlockPayloadSize.Plain(sizeExponent);
        }
    }

    // After the server reported another size of messages. Blocks only get smaller, but with BERT a message may carry more of them.
    private void Refit(BlockPayloadSize fit)
    {
        if (fit.SizeExponent < _fit.SizeExponent || (fit.SizeExponent == _fit.SizeExponent && fit.Size != _fit.Size))
        {
            _fit = fit;
        }
    }

    private CoapException TooLarge(long? length)
    {
        int max = transfer.Channel.MaxMessageSize;
        return new CoapException(
            CoapError.TooLarge,
            $"The body for {transfer.Target} does not fit a message, which has at most {max} bytes there, and the server refused a block "
                + "with 4.02 Bad Option before (RFC 8323 section 5.3.2). Send less.");
    }

    private CoapMessage NextBlock(ReadOnlyMemory<byte> payload, bool more, long? length)
    {
        if (!_isWhole)
        {
            long capacity = BlockPayloadSize.Capacity(_fit.SizeExponent);
            if (!_fit.HasNumber(_offset) || length > capacity)
            {
                throw new CoapException(
                    $"The body is too long for blocks of {_fit.Size} bytes: there are 1,048,576 block numbers, enough "
                        + $"for {capacity} bytes (RFC 7959 section 2.2). Use larger blocks, or send it in parts to several resources.");
            }

            transfer.BeginBlocks();
        }

        CoapMessage template = transfer.Template;
        CoapMessage message = new(template.Code) { Type = template.Type, Payload = payload };
        if (template.HasOptions)
        {
            message.Options.AddAll(template.OptionsToRead!);
        }

        if (!_isWhole)
        {
            AddBlock(message.Options, more, length);
        }

        if (!more && transfer.FirstWanted() is { } wanted)
        {
            message.Options.Block2 = wanted;
        }

        if (!more && template.Code.IsSafe && transfer.Settings is ({ Progress: not null } or { Destination: not null }))
        {
            // Asks for the size (RFC 7959 section 4).
            message.Options.Size2 = 0;
        }

        return message;
    }

    private void AddBlock(CoapOptionCollection options, bool more, long? length)
    {
        options.Block1 = BlockValue.FromOffset(_offset, more, _fit.SizeExponent);
        if (more)
        {
            // The caller declines the response to the whole request; the response to a block is needed to continue.
            options.NoResponse = null;
        }

        if (_offset > 0)
        {
            // Later blocks would fail on the state that the first one began (RFC 7959 section 2.10), and the size is said once (section 4).
            options.IfNoneMatch = false;
            options.Size1 = null;
        }
        else if (length is { } bytes and <= uint.MaxValue && options.Size1 is null)
        {
            options.Size1 = (uint)bytes;
        }
    }

    private void Restart(UploadBody body, CoapCode code)
    {
        if (!body.TryRestart())
        {
            throw new CoapException(CoapError.BodyNotRepeatable,
                $"{transfer.Target} answered {code} and wants the body again from its beginning, but the stream cannot seek. Send a stream "
                    + "that can, or a file.");
        }

        _offset = 0;
        _token = default;
        transfer.Counters.Add(CoapCounter.TransferRestarts);
        BlockwiseLog.UploadRestarted(transfer.Logger, transfer.Target, code);
    }

    private void RememberSize()
    {
        if (transfer.IsUploadedInBlocks && _fit.SizeExponent < RequestBlockSizes.Upload(transfer.Request).SizeExponent)
        {
            PeerBlockwiseState.GetOrAdd(transfer.Channel).UploadBlockSize = _fit.Size;
            BlockwiseLog.SmallerBlocks(transfer.Logger, transfer.Target, _fit.Size);
        }
    }

    private void Report(long transferred, long? total, int number) => transfer.Settings?.Progress?.Report(
        new CoapProgress { BytesTransferred = transferred, TotalBytes = total, BlockNumber = number, IsUpload = true });
}
