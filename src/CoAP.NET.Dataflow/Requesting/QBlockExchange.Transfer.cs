using CoAP.NET.Blockwise;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;

namespace CoAP.NET.Requesting;

// The upload by Q-Block1 and the download by Q-Block2. All under the lock.
internal sealed partial class QBlockExchange
{
    private readonly QBlockDownload _download;
    private QBlockUpload? _upload;
    private CoapResponse? _first;
    private bool _hasAnswer;
    private int _continued;
    private int _askedBefore;

    // Between two sets, where silence means nothing.
    private bool IsPausing => _upload is { IsAllSent: false } && !IsDownloading;

    private bool IsDownloading => _download.Count > 0;

    private void Begin()
    {
        int length = _request.Message.Payload.Length;
        if (length > TransferSizes.Whole(_request))
        {
            _upload = new QBlockUpload(length, TransferSizes.Upload(_request).SizeExponent, _parameters.MaxPayloads, _parameters.NonMaxRetransmit);
            if (_upload.Count > BlockValue.MaxNumber)
            {
                Fail(new CoapException($"The body is too long for blocks of {16 << _upload.SizeExponent} bytes (RFC 7959 section 2.2). Use larger blocks, or send it in parts."));
                return;
            }

            SendNextSet();
            return;
        }

        AskForAll();
        AwaitAnswer();
    }

    /// <summary>Nothing came for as long as it was waited for.</summary>
    private void OnSilence()
    {
        if (IsPausing)
        {
            SendNextSet();
            return;
        }

        _tries++;
        if (IsDownloading)
        {
            int end = EndOfSet(_download.Highest);
            if (_download.Prefix < end)
            {
                AskForMissing(end);
            }
            else
            {
                AskForNextSet();
            }
        }
        else if (_upload is not null)
        {
            // The last block once more: it is answered as the first time.
            SendBlocks([_upload.Count - 1]);
        }
        else if (_request.Message.Code.IsSafe)
        {
            AskForAll();
        }

        AwaitAnswer();
    }

    private void OnResponse(CoapResponse response)
    {
        CoapMessage message = response.Message;
        if (response.Code == CoapCode.BadOption && !_hasAnswer)
        {
            IsUnknown = true;
            End(() => _completion.TrySetResult(null));
        }
        else if (response.Code == CoapCode.Unauthorized && message.OptionsToRead?.Contains(OptionNumber.Echo) == true && !IsDownloading)
        {
            End(() => _completion.TrySetResult(null));
        }
        else if (_upload is not null && response.Code == CoapCode.Continue)
        {
            _hasAnswer = true;
            if (!_upload.IsAllSent && _upload.IsConfirmed(QBlockAnswers.QBlock1Of(message)?.Number))
            {
                SendNextSet();
            }
        }
        else if (_upload is not null && response.Code == CoapCode.RequestEntityIncomplete && message.OptionsToRead?.ContentFormat == CoapContentFormat.MissingBlocks)
        {
            _hasAnswer = true;
            OnMissing(message);
        }
        else if (response.IsSuccess && QBlockAnswers.QBlock2Of(message) is { } block)
        {
            _hasAnswer = true;
            OnBlock(response, block);
        }
        else
        {
            Complete(response);
        }
    }

    private void OnMissing(CoapMessage message)
    {
        if (!MissingBlocks.TryRead(message.Payload.Span, BlockValue.MaxNumber, out List<int> missing) || missing.Exists(number => number >= _upload!.Count))
        {
            _environment.Counters.Add(CoapCounter.BadBlocks);
            return;
        }

        int[] numbers = _upload!.Repeat(missing);
        if (_upload.IsExhausted)
        {
            Fail(TimedOut(byRequest: false));
        }
        else if (numbers.Length > 0)
        {
            _tries = 0;
            SendBlocks(numbers);
            WaitAfterBlocks();
        }
    }

    private void SendNextSet()
    {
        SendBlocks(_upload!.NextSet());
        WaitAfterBlocks();
    }

    private void WaitAfterBlocks()
    {
        if (_upload!.IsAllSent)
        {
            AwaitAnswer();
        }
        else
        {
            Pause();
        }
    }

    private void SendBlocks(int[] numbers)
    {
        QBlockUpload upload = _upload!;
        int size = 16 << upload.SizeExponent;
        foreach (int number in numbers)
        {
            CoapMessage message = Copy(withPayload: true);
            int length = Math.Min(size, upload.Length - (number * size));
            message.Payload = message.Payload.Slice(number * size, length);
            message.Options.Add(new QBlock1(new BlockValue(number, number < upload.Count - 1, upload.SizeExponent)));
            message.Options.Size1 = (uint)upload.Length;
            _toSend.Add(message);
        }
    }

    private void OnBlock(CoapResponse response, BlockValue block)
    {
        QBlockDownloadVerdict verdict = _download.OnBlock(response.Message, block);
        switch (verdict)
        {
            case QBlockDownloadVerdict.Ignored:
                return;
            case QBlockDownloadVerdict.Bad:
                _environment.Counters.Add(CoapCounter.BadBlocks);
                Fail(new CoapProtocolException($"{Target} sent block {block} with {response.Payload.Length} bytes, whose entity-tag or size do not fit (RFC 9177 section 4.4)."));
                return;
            case QBlockDownloadVerdict.TooLarge:
                Fail(new CoapException($"The response of {Target} has more than {_environment.Limits.MaxResponseBodySize} bytes, the most that is kept in memory. Raise MaxResponseBodySize."));
                return;
            case QBlockDownloadVerdict.Changed:
                _environment.Counters.Add(CoapCounter.TransferRestarts);
                _first = null;
                _continued = _askedBefore = 0;
                break;
            default:
                break;
        }

        _first ??= response;
        _tries = 0;
        if (verdict == QBlockDownloadVerdict.Complete)
        {
            Complete(Assemble());
            return;
        }

        int set = block.Number / _parameters.MaxPayloads * _parameters.MaxPayloads;
        if (_download.Prefix == _download.Highest + 1 && _download.Prefix % _parameters.MaxPayloads == 0)
        {
            if (_continued < _download.Prefix)
            {
                AskForNextSet();
            }
        }
        else if (_askedBefore < set)
        {
            // A later set begins, so what is missing of those before is lost.
            _askedBefore = set;
            AskForMissing(set);
        }

        AwaitAnswer();
    }

    private int EndOfSet(int number) => Math.Min(((number / _parameters.MaxPayloads) + 1) * _parameters.MaxPayloads, _download.Count);

    private void AskForAll()
    {
        CoapMessage message = Copy(withPayload: true);
        message.Options.Add(new QBlock2(new BlockValue(0, more: true, TransferSizes.DownloadExponent(_request))));
        _toSend.Add(message);
    }

    private void AskForNextSet()
    {
        _continued = _askedBefore = _download.Prefix;
        Ask([new BlockValue(_download.Prefix, more: true, _download.SizeExponent)]);
    }

    private void AskForMissing(int end)
    {
        int[] numbers = _download.Missing(end, _parameters.MaxPayloads);
        if (numbers.Length > 0)
        {
            _environment.Counters.Add(CoapCounter.BlocksAskedAgain, numbers.Length);
            Ask(numbers.Select(number => new BlockValue(number, more: false, _download.SizeExponent)));
        }
    }

    private void Ask(IEnumerable<BlockValue> blocks)
    {
        // The payload of a FETCH is part of what is asked for, unless it went in blocks.
        CoapMessage message = Copy(withPayload: _upload is null && _request.Message.Code == CoapCode.Fetch);
        message.Options.AddRange(blocks.Select(static block => new QBlock2(block)));
        _toSend.Add(message);
    }

    private CoapResponse Assemble()
    {
        CoapMessage received = _first!.Message;
        CoapMessage message = new(received.Code) { Type = received.Type, MessageId = received.MessageId, Token = received.Token, Payload = _download.Body };
        message.Options.AddAll(received.OptionsToRead!);
        message.Options.Remove(OptionNumber.QBlock2);
        message.Options.Size2 = null;
        return _first.With(message);
    }
}
