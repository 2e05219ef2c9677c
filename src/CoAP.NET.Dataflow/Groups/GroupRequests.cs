using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Requests;

namespace CoAP.NET.Groups;

/// <summary>
/// The group requests of an endpoint, by token alone: members answer from addresses of their own (RFC 7252 section 8.2), which may belong
/// to any shard. Bounded. Thread-safe; allowed under the lock of a shard, and takes none itself.
/// </summary>
internal sealed class GroupRequests
{
    // MAX_SERVER_RESPONSE_DELAY: the time that members take is unknown; the lifetime of a message again is ample.
    private static readonly TimeSpan s_maxServerResponseDelay = TimeSpan.FromSeconds(250);

    private readonly ConcurrentDictionary<CoapToken, GroupRequest> _byToken = new();
    private readonly Queue<GroupRequest> _over = new();
    private readonly Lock _gate = new();
    private readonly int _max;
    private TokenSequence _tokens;
    private int _running;

    /// <summary>Creates the registry.</summary>
    /// <param name="random">The source of tokens.</param>
    /// <param name="max">The maximum number of running requests, and of kept tokens of others.</param>
    public GroupRequests(CoapRandomSource random, int max)
    {
        _tokens = new TokenSequence(random);
        _max = max;
    }

    /// <summary>Returns how long the token of an ended request is kept at least: longer than any answer can be in transit.</summary>
    public static long TokenLifetimeOf(CoapTransmissionParameters parameters) =>
        Math.Min((parameters.NonLifetime + parameters.MaxLatency + s_maxServerResponseDelay).Ticks, TimeSpan.TicksPerDay);

    /// <summary>Registers a request, with a token that no other request of the endpoint ever had.</summary>
    /// <returns>False when too many requests run.</returns>
    public bool TryBegin(GroupRequest request)
    {
        lock (_gate)
        {
            if (_running >= _max)
            {
                return false;
            }

            _running++;
            request.Message.Token = _tokens.NextForGroup();
            _byToken[request.Message.Token] = request;
            return true;
        }
    }

    public bool TryFind(CoapToken token, [NotNullWhen(true)] out GroupRequest? request)
    {
        if (token.Length == TokenSequence.GroupLength)
        {
            return _byToken.TryGetValue(token, out request);
        }

        request = null;
        return false;
    }

    /// <summary>Handles the end of a request. Its token stays for a while; if there are too many, the oldest go first.</summary>
    public void OnOver(GroupRequest request)
    {
        lock (_gate)
        {
            _running--;
            _over.Enqueue(request);
            while (_over.Count > _max)
            {
                _byToken.TryRemove(_over.Dequeue().Message.Token, out _);
            }
        }
    }

    /// <summary>Forgets a request that can get no more answers.</summary>
    public void Forget(GroupRequest request)
    {
        _byToken.TryRemove(request.Message.Token, out _);
        lock (_gate)
        {
            // The tokens expire in nearly the same order.
            while (_over.TryPeek(out GroupRequest? oldest) && !_byToken.ContainsKey(oldest.Message.Token))
            {
                _over.Dequeue();
            }
        }
    }

    /// <summary>Ends all requests because the endpoint stops. The caller must hold no lock.</summary>
    /// <param name="reason">The reason for the waiting callers.</param>
    public void EndAll(string reason)
    {
        foreach (GroupRequest request in _byToken.Values)
        {
            if (!request.IsOver)
            {
                request.End(new CoapException(reason));
            }
        }
    }
}
