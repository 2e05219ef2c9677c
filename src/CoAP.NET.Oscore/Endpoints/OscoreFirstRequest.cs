namespace CoAP.NET.Oscore;

/// <summary>
/// Which request of a context brings the last message of the key exchange that made it. There is one at a time until a response was
/// verified (RFC 9668 section 3.2). When it had none, all that follow bring the message, so that none waits for another one that may never
/// be sent. Thread-safe.
/// </summary>
/// <param name="exchange">The key exchange.</param>
internal sealed class OscoreFirstRequest(OscoreKeyExchangeClient exchange)
{
    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _settled = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private OscorePeer? _peer;
    private CoapToken _token;
    private bool _isRepeated;
    private volatile bool _isDone;

    /// <summary>Whether another request is under way that brings the message, and no response to it was verified yet.</summary>
    /// <param name="peer">Who sends.</param>
    /// <param name="token">The token of the request that would wait.</param>
    public bool MustWait(OscorePeer peer, CoapToken token)
    {
        if (_isDone || !exchange.BringsMessage)
        {
            return false;
        }

        lock (_gate)
        {
            return _peer is not null && !_isRepeated && !_isDone && !IsBearer(peer, token);
        }
    }

    /// <summary>A request is sent.</summary>
    /// <param name="peer">Who sends.</param>
    /// <param name="token">The token of the request.</param>
    /// <param name="bearing">What it brings; null for nothing.</param>
    /// <returns>False when it has to wait.</returns>
    public bool TrySend(OscorePeer peer, CoapToken token, out OscoreKeyExchangeClient? bearing)
    {
        bearing = null;
        if (_isDone || !exchange.BringsMessage)
        {
            return true;
        }

        lock (_gate)
        {
            if (_peer is null)
            {
                (_peer, _token) = (peer, token);
            }
            else if (!_isRepeated && !IsBearer(peer, token))
            {
                return false;
            }

            bearing = exchange;
            return true;
        }
    }

    /// <summary>Ends when no request has to wait any more.</summary>
    public Task WaitAsync() => _isDone || !exchange.BringsMessage ? Task.CompletedTask : _settled.Task;

    /// <summary>A message of the other end was verified.</summary>
    public void OnVerified()
    {
        if (_isDone)
        {
            return;
        }

        lock (_gate)
        {
            if (_isDone)
            {
                return;
            }

            _isDone = true;
        }

        _settled.TrySetResult();
        exchange.OnConfirmed();
    }

    /// <summary>A request ended, maybe without a response.</summary>
    public void OnEnded(OscorePeer peer, CoapToken token)
    {
        if (_isDone)
        {
            return;
        }

        lock (_gate)
        {
            if (_peer is null || !IsBearer(peer, token))
            {
                return;
            }

            _isRepeated = true;
        }

        _settled.TrySetResult();
    }

    /// <summary>Why a request was answered without protection.</summary>
    public CoapException? ErrorOf(CoapMessage answer) => _isDone ? null : exchange.ErrorOf(answer);

    private bool IsBearer(OscorePeer peer, CoapToken token) => ReferenceEquals(peer, _peer) && token == _token;
}
