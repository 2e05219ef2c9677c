using CoAP.NET.Oscore.Stage;

namespace CoAP.NET.Oscore.Endpoints;

/// <summary>
/// Selects the request of a context that carries the last message of its key exchange. There is one at a time until a response is verified
/// (RFC 9668 section 3.2). If the first gets no response, all later ones carry the message, so that none waits for another one that may
/// never go out. Thread-safe.
/// </summary>
internal sealed class ClientCombinedRequestSelector(OscoreKeyExchangeLastMessage exchange)
{
    private readonly Lock _gate = new();
    private readonly TaskCompletionSource _settled = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private OscorePeer? _peer;
    private CoapToken _token;
    private bool _isRepeated;
    private volatile bool _isDone;

    /// <summary>Whether another pending request carries the message, without a verified response yet.</summary>
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

    /// <summary>Handles the sending of a request.</summary>
    /// <param name="peer">The sender.</param>
    /// <param name="token">The token of the request.</param>
    /// <param name="bearing">The key exchange whose message it carries; null for none.</param>
    /// <returns>False if it has to wait.</returns>
    public bool TrySend(OscorePeer peer, CoapToken token, out OscoreKeyExchangeLastMessage? bearing)
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

    /// <summary>Handles a verified message of the other end.</summary>
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

    /// <summary>Handles the end of a request, perhaps without a response.</summary>
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

    /// <summary>Explains why a request got an unprotected answer.</summary>
    public CoapException? ErrorOf(CoapMessage answer) => _isDone ? null : exchange.ErrorOf(answer);

    private bool IsBearer(OscorePeer peer, CoapToken token) => ReferenceEquals(peer, _peer) && token == _token;
}
