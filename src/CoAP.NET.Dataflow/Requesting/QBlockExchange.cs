using CoAP.NET.Blockwise;
using CoAP.NET.Channels;
using CoAP.NET.Exchanges;
using CoAP.NET.Options;
using CoAP.NET.Requests;

namespace CoAP.NET.Requesting;

/// <summary>
/// One request whose bodies go by Q-Block1 and Q-Block2 (RFC 9177): what is sent when something comes, or when nothing does. Decides under a lock of its own and sends
/// after it was released. All tokens are given up when it ends, however it does.
/// </summary>
internal sealed partial class QBlockExchange : ITransferOwner
{
    private readonly Lock _gate = new();
    private readonly CoapEnvironment _environment;
    private readonly IStandingPort _port;
    private readonly OutgoingRequest _request;
    private readonly CoapTransmissionParameters _parameters;
    private readonly byte[] _tag;
    private readonly TaskCompletionSource<CoapResponse?> _completion;

    // Guarded by the lock.
    private readonly List<StandingRequest> _open = [];
    private readonly List<CoapTransmission> _sent = [];
    private readonly List<CoapMessage> _toSend = [];
    private readonly ITimer _timer;
    private readonly long _deadline;
    private int _tries;
    private bool _isOver;
    private Action? _end;

    public QBlockExchange(CoapEnvironment environment, IStandingPort port, OutgoingRequest request, byte[] tag)
    {
        _environment = environment;
        _completion = new TaskCompletionSource<CoapResponse?>(environment.CompletionOptions);
        _port = port;
        _request = request;
        _tag = tag;
        _parameters = request.Channel.Parameters;
        _download = new QBlockDownload(environment.Limits.MaxResponseBodySize);
        _deadline = request.TimeLeft(environment.Now) is { } left && left != Timeout.InfiniteTimeSpan ? environment.Now + left.Ticks : long.MaxValue;
        _timer = environment.TimeProvider.CreateTimer(static state => ((QBlockExchange)state!).OnTimer(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>Whether the peer turned out not to know the options.</summary>
    public bool IsUnknown { get; private set; }

    private string Target => _request.Channel.ToString();

    /// <summary>Sends the request and waits for the whole response.</summary>
    /// <param name="cancellationToken">Stops it; the tokens are free at once.</param>
    /// <returns>The response; null when the request has to go another way and was not carried out.</returns>
    public async Task<CoapResponse?> RunAsync(CancellationToken cancellationToken)
    {
        using CancellationTokenRegistration registration = cancellationToken.UnsafeRegister(
            static (state, token) => ((QBlockExchange)state!).Decide(transfer => transfer.End(() => transfer._completion.TrySetCanceled(token))), this);
        Decide(static transfer => transfer.Begin());
        return await _completion.Task.ConfigureAwait(false);
    }

    void IStandingOwner.OnResponse(StandingRequest request, CoapResponse response, CoapTransmission? answered, bool isOrdered) =>
        Decide(transfer => transfer.OnResponse(response));

    void IStandingOwner.OnRejected(StandingRequest request, CoapException error) => Decide(transfer => transfer.Fail(error));

    void IStandingOwner.OnTransmission(CoapTransmission transmission, CoapInboundKind fate) => Decide(transfer =>
    {
        switch (fate)
        {
            case CoapInboundKind.Reset when !transfer._hasAnswer:
                transfer.IsUnknown = true;
                transfer.End(() => transfer._completion.TrySetResult(null));
                break;
            case CoapInboundKind.Reset:
                transfer.Fail(new CoapResetException(transfer.Target));
                break;
            case CoapInboundKind.Unreachable:
                transfer.Fail(new CoapUnreachableException(transfer.Target));
                break;
            case CoapInboundKind.SendFailed:
                transfer.Fail(new CoapSendException(transfer.Target, transmission.SendError));
                break;
            case CoapInboundKind.NotSent:
                transfer.Fail(new CoapBusyException(transfer.Target, transfer._parameters.MaxQueuedRequests));
                break;
            default:
                break;
        }
    });

    private void OnTimer() => Decide(static transfer =>
    {
        if (transfer._environment.Now >= transfer._deadline || (transfer._tries >= transfer._parameters.NonMaxRetransmit && !transfer.IsPausing))
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
            CoapAwaited.NextBlock,
            byRequest ? CoapTimeLimit.RequestTimeout : CoapTimeLimit.QBlockRepeats,
            byRequest ? _request.Timeout!.Value : _parameters.NonReceiveTimeout,
            CoapTimeoutReason.NoResponse)
        {
            IsNonConfirmable = true,
        },
        _request.Message.Code,
        Target);

    // Whatever happens comes through here. What is to be sent goes out after the lock was released.
    private void Decide(Action<QBlockExchange> decision)
    {
        CoapMessage[] messages;
        Action? end;
        lock (_gate)
        {
            if (_isOver)
            {
                return;
            }

            decision(this);
            messages = [.. _toSend];
            _toSend.Clear();
            end = _end;
        }

        if (end is not null)
        {
            Release();
            _environment.Tell(static end => ((Action)end!)(), end);
        }

        foreach (CoapMessage message in messages)
        {
            Send(message);
        }
    }

    private void Send(CoapMessage message)
    {
        StandingRequest standing = _port.Open(_request.Channel, this);
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

    private void Fail(Exception exception) => End(() => _completion.TrySetException(exception));

    private void Complete(CoapResponse response) => End(() => _completion.TrySetResult(response));

    // Under the lock; tokens and copies are given up when it is released, which needs the lock of the shard.
    private void End(Action complete)
    {
        if (_isOver)
        {
            return;
        }

        _isOver = true;
        _end = complete;
        _timer.Dispose();
        _toSend.Clear();
    }

    private void Release()
    {
        foreach (StandingRequest standing in _open)
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

    // NON_RECEIVE_TIMEOUT, twice as long after each time in vain.
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
            message.Options.Add(OptionNumber.RequestTag, _tag);
        }

        return message;
    }
}
