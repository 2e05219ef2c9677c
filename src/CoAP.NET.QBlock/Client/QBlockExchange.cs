using CoAP.NET.Blockwise;
using CoAP.NET.Blockwise.Client;
using CoAP.NET.Diagnostics;
using CoAP.NET.Errors;
using CoAP.NET.Exchanges;
using CoAP.NET.Execution;
using CoAP.NET.QBlock.Server;

namespace CoAP.NET.QBlock.Client;

/// <summary>
/// One request whose bodies go by Q-Block1 and Q-Block2 (RFC 9177): what is sent when something comes, or when nothing does. Decides under
/// a lock of its own and sends after it was released. All tokens are released when it ends, for whatever reason.
/// </summary>
internal sealed class QBlockExchange : ITokenOwner
{
    private readonly Lock _gate = new();
    private readonly CoapEnvironment _environment;
    private readonly RequestSender _port;
    private readonly OutgoingRequest _request;
    private readonly CoapTransmissionParameters _parameters;
    private readonly uint _tag;
    private readonly TaskCompletionSource<CoapResponse?> _completion;

    // Guarded by the lock.
    private readonly List<MultiResponseToken> _open = [];
    private readonly List<CoapTransmission> _sent = [];
    private readonly List<CoapMessage> _toSend = [];
    private readonly ITimer _timer;
    private readonly long _deadline;
    private int _tries;
    private bool _isOver;
    private QBlockOutcome? _outcome;

    // The upload by Q-Block1 and the download by Q-Block2, guarded by it too.
    private readonly QBlockDownload _download;
    private QBlock1SendState? _upload;
    private CoapResponse? _first;
    private bool _hasAnswer;
    private int _continued;
    private int _askedBefore;

    public QBlockExchange(CoapEnvironment environment, RequestSender port, OutgoingRequest request, uint tag)
    {
        _environment = environment;
        _completion = new TaskCompletionSource<CoapResponse?>(environment.CompletionOptions);
        _port = port;
        _request = request;
        _tag = tag;
        _parameters = request.Channel.Parameters;
        _download = new QBlockDownload(environment.Limits.Blockwise.MaxResponseBodySize);
        _deadline = request.TimeLeft(environment.Now) is { } left && left != Timeout.InfiniteTimeSpan
            ? environment.Now + left.Ticks
            : long.MaxValue;
        _timer = environment.TimeProvider.CreateTimer(static state => ((QBlockExchange)state!).OnTimer(), this, Timeout.InfiniteTimeSpan,
            Timeout.InfiniteTimeSpan);
    }

    /// <summary>Whether the peer turned out not to know the options.</summary>
    public bool IsUnknown { get; private set; }

    bool ITokenOwner.IsTransfer => true;

    private string Target => _request.Channel.ToString();

    /// <summary>Sends the request and waits for the whole response.</summary>
    /// <param name="cancellationToken">Stops it; the tokens are free at once.</param>
    /// <returns>The response; null when the request has to go another way and was not carried out.</returns>
    public async Task<CoapResponse?> RunAsync(CancellationToken cancellationToken)
    {
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (state, token) => ((QBlockExchange)state!).Decide(transfer => transfer.End(new QBlockOutcome(token))), this);
        Decide(static transfer => transfer.Begin());
        return await _completion.Task.ConfigureAwait(false);
    }

    void ITokenOwner.OnResponse(MultiResponseToken request, CoapResponse response, CoapTransmission? answered, bool isOrdered) =>
        Decide(transfer => transfer.OnResponse(response));

    void ITokenOwner.OnRejected(MultiResponseToken request, CoapException error) => Decide(transfer => transfer.Fail(error));

    void ITokenOwner.OnTransmission(CoapTransmission transmission, CoapInboundKind fate) => Decide(transfer =>
    {
        switch (fate)
        {
            case CoapInboundKind.Reset when !transfer._hasAnswer:
                transfer.IsUnknown = true;
                transfer.End(new QBlockOutcome(response: null));
                break;
            case CoapInboundKind.Reset:
                transfer.Fail(RequestErrors.Reset(transfer.Target));
                break;
            case CoapInboundKind.Unreachable:
                transfer.Fail(RequestErrors.Unreachable(transfer.Target));
                break;
            case CoapInboundKind.SendFailed:
                transfer.Fail(RequestErrors.SendFailed(transfer.Target, transmission.SendError));
                break;
            case CoapInboundKind.NotSent:
                transfer.Fail(RequestErrors.Busy(transfer.Target, transfer._parameters.MaxQueuedRequests));
                break;
            default:
                break;
        }
    });

    private void OnTimer() => Decide(static transfer =>
    {
        if (transfer._environment.Now >= transfer._deadline
            || (transfer._tries >= transfer._parameters.NonMaxRetransmit && !transfer.IsPausing))
        {
            transfer.Fail(transfer.TimedOut(transfer._environment.Now >= transfer._deadline));
        }
        else
        {
            transfer.OnSilence();
        }
    });

    private CoapTimeoutException TimedOut(bool byRequest) => new(
        new TimeoutFacts(
            CoapTimeoutStep.NextBlock,
            byRequest ? CoapTimeLimitKind.RequestTimeout : CoapTimeLimitKind.QBlockRepeats,
            byRequest ? _request.Timeout!.Value : _parameters.NonReceiveTimeout,
            CoapTimeoutReason.NoResponse)
        {
            IsNonConfirmable = true,
        },
        _request.Message.Code,
        Target);

    // Every event comes through here. Messages are sent after the lock was released.
    private void Decide(Action<QBlockExchange> decision)
    {
        CoapMessage[] messages;
        bool ends;
        lock (_gate)
        {
            if (_isOver)
            {
                return;
            }

            decision(this);
            messages = [.. _toSend];
            _toSend.Clear();
            ends = _isOver;
        }

        if (ends)
        {
            Release();
            _environment.Report(static exchange => ((QBlockExchange)exchange!).Report(), this);
        }

        foreach (CoapMessage message in messages)
        {
            Send(message);
        }
    }

    private void Send(CoapMessage message)
    {
        MultiResponseToken standing = _port.Open(_request.Channel, this);
        message.Token = standing.Token;
        CoapTransmission transmission = new(standing.Channel, message, standing) { IsPaced = true };
        lock (_gate)
        {
            if (!_isOver)
            {
                _open.Add(standing);
                _sent.RemoveAll(static one => one.IsOver);
                _sent.Add(transmission);
                standing = null!;
            }
        }

        if (standing is not null)
        {
            _port.Close(standing);
        }
        else if (_port.Send(transmission) is { } error)
        {
            Decide(transfer => transfer.Fail(error));
        }
    }

    private void Fail(Exception exception) => End(new QBlockOutcome(exception));

    private void Report() => _outcome!.Report(_completion);

    // Under the lock; tokens and copies are given up when it is released, which needs the lock of the shard.
    private void End(QBlockOutcome outcome)
    {
        if (_isOver)
        {
            return;
        }

        _isOver = true;
        _outcome = outcome;
        _timer.Dispose();
        _toSend.Clear();
    }

    private void Release()
    {
        foreach (MultiResponseToken standing in _open)
        {
            _port.Close(standing);
        }

        foreach (CoapTransmission transmission in _sent)
        {
            if (!transmission.IsOver)
            {
                _port.Stop(transmission);
            }
        }
    }

    // NON_RECEIVE_TIMEOUT, doubled after each unsuccessful attempt.
    private void AwaitAnswer() => Await(new TimeSpan(_parameters.NonReceiveTimeout.Ticks << _tries));

    // NON_TIMEOUT_RANDOM.
    private void Pause() => Await(_parameters.NonTimeout * (1 + ((_parameters.AckRandomFactor - 1) * _environment.Random.NextDouble())));

    private void Await(TimeSpan wait)
    {
        long left = _deadline == long.MaxValue ? long.MaxValue : Math.Max(0, _deadline - _environment.Now);
        _timer.Change(new TimeSpan(Math.Min(wait.Ticks, left)), Timeout.InfiniteTimeSpan);
    }

    private CoapMessage Copy(bool withPayload)
    {
        CoapMessage message = _request.CopyMessage();
        message.Type = CoapMessageType.NonConfirmable;
        message.Payload = withPayload ? message.Payload : default;
        if (_upload is not null)
        {
            RequestTags.AddTo(message, _tag);
        }

        return message;
    }

    // Between two sets, where silence means nothing.
    private bool IsPausing => _upload is { IsAllSent: false } && !IsDownloading;

    private bool IsDownloading => _download.Blocks is not null;

    private void Begin()
    {
        int length = _request.Message.Payload.Length;
        if (length > RequestBlockSizes.Whole(_request))
        {
            _upload = new QBlock1SendState(length, RequestBlockSizes.Upload(_request).SizeExponent, _parameters.MaxPayloads,
                _parameters.NonMaxRetransmit);
            if (_upload.Count > BlockValue.MaxNumber)
            {
                Fail(new CoapException(
                    $"The body is too long for blocks of {16 << _upload.SizeExponent} bytes (RFC 7959 section 2.2). Use larger blocks, or "
                        + "send it in parts."));
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
        if (_download.Blocks is { } blocks)
        {
            int end = ((blocks.Highest / _parameters.MaxPayloads) + 1) * _parameters.MaxPayloads;
            if (blocks.Prefix < Math.Min(end, blocks.Count))
            {
                AskForMissing(blocks, end);
            }
            else
            {
                AskForNextSet(blocks);
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
            End(new QBlockOutcome(response: null));
        }
        else if (response.Code == CoapCode.Unauthorized && message.OptionsToRead?.Contains(OptionNumber.Echo) == true && !IsDownloading)
        {
            End(new QBlockOutcome(response: null));
        }
        else if (_upload is not null && response.Code == CoapCode.Continue)
        {
            _hasAnswer = true;
            if (!_upload.IsAllSent && _upload.IsConfirmed(QBlockResponseFactory.QBlock1Of(message)?.Number))
            {
                SendNextSet();
            }
        }
        else if (_upload is not null && response.Code == CoapCode.RequestEntityIncomplete
            && message.OptionsToRead?.ContentFormat == CoapContentFormat.MissingBlockList)
        {
            _hasAnswer = true;
            OnMissing(message);
        }
        else if (response.IsSuccess && QBlockResponseFactory.QBlock2Of(message) is { } block)
        {
            _hasAnswer = true;
            OnBlock(response, block);
        }
        else
        {
            End(new QBlockOutcome(response));
        }
    }

    private void OnMissing(CoapMessage message)
    {
        if (!MissingBlockList.TryRead(message.Payload.Span, BlockValue.MaxNumber, out List<int> missing)
            || missing.Exists(number => number >= _upload!.Count))
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
        QBlock1SendState upload = _upload!;
        int size = 16 << upload.SizeExponent;
        foreach (int number in numbers)
        {
            CoapMessage message = Copy(withPayload: true);
            int length = Math.Min(size, upload.Length - (number * size));
            message.Payload = message.Payload.Slice(number * size, length);
            message.Options.Add(new QBlock1Option(new BlockValue(number, number < upload.Count - 1, upload.SizeExponent)));
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
                Fail(new CoapProtocolException(
                    $"{Target} sent block {block} with {response.Payload.Length} bytes, whose entity-tag or size do not fit (RFC 9177 "
                        + "section 4.4)."));
                return;
            case QBlockDownloadVerdict.TooLarge:
                Fail(new CoapException(
                    $"The response of {Target} has more than {_environment.Limits.Blockwise.MaxResponseBodySize} bytes, the most that is kept "
                        + "in memory. Raise MaxResponseBodySize."));
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
            End(new QBlockOutcome(BlockDownload.Assemble(_first, _download.Blocks!.TakeAll())));
            return;
        }

        CollectedBlocks blocks = _download.Blocks!;
        int set = block.Number / _parameters.MaxPayloads * _parameters.MaxPayloads;
        if (blocks.Prefix == blocks.Highest + 1 && blocks.Prefix % _parameters.MaxPayloads == 0)
        {
            if (_continued < blocks.Prefix)
            {
                AskForNextSet(blocks);
            }
        }
        else if (_askedBefore < set)
        {
            // A later set begins, so what is missing of those before is lost.
            _askedBefore = set;
            AskForMissing(blocks, set);
        }

        AwaitAnswer();
    }

    private void AskForAll()
    {
        CoapMessage message = Copy(withPayload: true);
        message.Options.Add(new QBlock2Option(new BlockValue(0, more: true, RequestBlockSizes.DownloadExponent(_request))));
        _toSend.Add(message);
    }

    private void AskForNextSet(CollectedBlocks blocks)
    {
        _continued = _askedBefore = blocks.Prefix;
        Ask([new BlockValue(blocks.Prefix, more: true, blocks.SizeExponent)]);
    }

    private void AskForMissing(CollectedBlocks blocks, int end)
    {
        int[] numbers = [.. blocks.Missing(end).Take(_parameters.MaxPayloads)];
        if (numbers.Length > 0)
        {
            _environment.Counters.Add(CoapCounter.BlocksAskedAgain, numbers.Length);
            Ask(numbers.Select(number => new BlockValue(number, more: false, blocks.SizeExponent)));
        }
    }

    private void Ask(IEnumerable<BlockValue> blocks)
    {
        // The payload of a FETCH is part of what is asked for, unless it went in blocks.
        CoapMessage message = Copy(withPayload: _upload is null && _request.Message.Code == CoapCode.Fetch);
        message.Options.AddRange(blocks.Select(static block => new QBlock2Option(block)));
        _toSend.Add(message);
    }
}
