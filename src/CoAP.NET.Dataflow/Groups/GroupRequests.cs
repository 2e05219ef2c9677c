using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Exchanges;

namespace CoAP.NET.Groups;

/// <summary>
/// The requests to groups of an endpoint, by token alone: members answer from addresses of their own (RFC 7252 section 8.2), which belong
/// to any shard. Bounded. Safe for several threads; may be used under the lock of a shard, and takes none itself.
/// </summary>
internal sealed class GroupRequests
{
    // MAX_SERVER_RESPONSE_DELAY: nobody says how long members take; as long again as a message lives is ample.
    private static readonly TimeSpan s_maxServerResponseDelay = TimeSpan.FromSeconds(250);

    private readonly ConcurrentDictionary<CoapToken, GroupRequest> _byToken = new();
    private readonly Queue<GroupRequest> _over = new();
    private readonly Lock _gate = new();
    private readonly int _max;
    private TokenSequence _tokens;
    private int _running;

    /// <summary>Makes it.</summary>
    /// <param name="random">For the tokens.</param>
    /// <param name="max">How many requests may run, and how many tokens of others are kept.</param>
    public GroupRequests(CoapRandomSource random, int max)
    {
        _tokens = new TokenSequence(random);
        _max = max;
    }

    /// <summary>How many requests run.</summary>
    public int Running => Volatile.Read(ref _running);

    /// <summary>How many tokens are known, those of requests that are over too.</summary>
    public int Count => _byToken.Count;

    /// <summary>How long the token of a request that is over is kept, at least: longer than any answer can be under way.</summary>
    public static long TokenLifetimeOf(CoapTransmissionParameters parameters) =>
        Math.Min((parameters.NonLifetime + parameters.MaxLatency + s_maxServerResponseDelay).Ticks, TimeSpan.TicksPerDay);

    /// <summary>Registers a request, with a token that no other request of the endpoint ever had.</summary>
    /// <param name="request">The request.</param>
    /// <returns>False when too many run.</returns>
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

    /// <summary>Finds the request that a response answers.</summary>
    public bool TryFind(CoapToken token, [NotNullWhen(true)] out GroupRequest? request)
    {
        if (token.Length == TokenSequence.GroupLength)
        {
            return _byToken.TryGetValue(token, out request);
        }

        request = null;
        return false;
    }

    /// <summary>A request takes no more answers. Its token stays for a while; of too many the oldest go first.</summary>
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

    /// <summary>No answer to a request can come any more.</summary>
    public void Forget(GroupRequest request)
    {
        _byToken.TryRemove(request.Message.Token, out _);
        lock (_gate)
        {
            // They end in nearly the order in which they began to be kept.
            while (_over.TryPeek(out GroupRequest? oldest) && !_byToken.ContainsKey(oldest.Message.Token))
            {
                _over.Dequeue();
            }
        }
    }

    /// <summary>Ends all, because the endpoint stops. No lock may be held.</summary>
    /// <param name="reason">What those who wait are told.</param>
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
