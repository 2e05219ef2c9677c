using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;

namespace CoAP.NET.Oscore;

/// <summary>
/// The security contexts of an endpoint: found by <c>kid</c> and ID Context for requests that come, and by host and port for requests of
/// ours. May be changed while the endpoint runs. Thread-safe.
/// </summary>
public sealed class OscoreContexts
{
    private readonly ConcurrentDictionary<OscoreRecipient, OscoreContext> _byRecipient = new(new OscoreRecipientComparer());

    // Those with an ID Context, by kid alone: a request need not name the ID Context. Changed under the lock of this dictionary.
    private readonly ConcurrentDictionary<OscoreRecipient, SameKid> _byKid = new(new OscoreRecipientComparer());
    private readonly ConcurrentDictionary<OscoreAuthority, OscoreContext> _byAuthority = [];
    private readonly ConcurrentDictionary<OscoreAuthority, bool> _required = [];

    // Of a key exchange or two. Replaced as a whole, so that each request compares without a lock.
    private string[][] _plainPaths = [];

    /// <summary>Finds contexts that are not here yet, for servers of many devices; null, the default, for none.</summary>
    public IOscoreContextResolver? Resolver { get; init; }

    /// <summary>How long <see cref="Resolver"/> may take; 10 seconds by default. More than zero, at most an hour.</summary>
    /// <exception cref="ArgumentOutOfRangeException">It is out of its range.</exception>
    public TimeSpan ResolveTimeout
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(value, TimeSpan.Zero);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, TimeSpan.FromHours(1));
            field = value;
        }
    }
    = TimeSpan.FromSeconds(10);

    /// <summary>
    /// What takes requests that bring the last message of a key exchange, such as that of EDHOC (RFC 9668); null, the default, for none:
    /// they are refused then. May be set while the endpoint runs.
    /// </summary>
    /// <exception cref="InvalidOperationException">There is another one.</exception>
    public OscoreKeyExchangeServer? KeyExchange
    {
        get;
        set
        {
            if (value is not null && Interlocked.CompareExchange(ref field, value, null) is { } other && !ReferenceEquals(other, value))
            {
                throw new InvalidOperationException(
                    "The security contexts have a key exchange already. Give each EDHOC server security contexts of its own.");
            }

            if (value is null)
            {
                field = null;
            }
        }
    }

    /// <summary>
    /// MAX_UNFRAGMENTED_SIZE (RFC 8613 section 4.1.3.4.2): how large the payload of a protected message may be that a proxy cut into
    /// blocks, in bytes, in both directions; larger ones are refused. 65,536 by default; 0, for no such messages, to 16 MiB. Blocks that
    /// nobody has verified take of <see cref="CoapLimits.MaxAssemblyBytes"/>, with a share of each source.
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">It is out of its range.</exception>
    public int MaxUnfragmentedSize
    {
        get;
        init
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ArgumentOutOfRangeException.ThrowIfGreaterThan(value, 16 << 20);
            field = value;
        }
    }
    = 65_536;

    /// <summary>Bounds for what strangers can have an endpoint keep or do. Set them before an endpoint uses these contexts.</summary>
    public OscoreLimits Limits { get; init; } = new();

    /// <summary>How many contexts there are for requests that come.</summary>
    public int Count => _byRecipient.Count;

    internal OscoreCounts Counts { get; } = new();

    /// <summary>What happened so far, in all endpoints that use these contexts.</summary>
    /// <returns>The numbers at this moment.</returns>
    public OscoreCounters GetCounters() => OscoreCounters.Of(Counts);

    /// <summary>Adds a context for requests that come.</summary>
    /// <param name="context">The context.</param>
    /// <returns>These contexts.</returns>
    /// <exception cref="ArgumentException">There is another one with the same Recipient ID and ID Context.</exception>
    public OscoreContexts Add(OscoreContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        OscoreRecipient recipient = OscoreRecipient.Of(context.Parameters);
        if (!TryInsert(recipient, context))
        {
            throw new ArgumentException(
                $"There is another security context for {recipient}; requests could not be told apart. Give one of the two another "
                    + "Recipient ID or an ID Context.",
                nameof(context));
        }

        return this;
    }

    /// <summary>
    /// Has requests of ours to a host be protected, and takes requests of that host: <see cref="Add(OscoreContext)"/> is not needed.
    /// </summary>
    /// <param name="uri">Scheme, host and port, such as <c>coap://[2001:db8::1]/</c>; the path means nothing. Of a server behind a proxy
    /// the
    /// server's own.</param>
    /// <param name="context">The context.</param>
    /// <returns>These contexts.</returns>
    /// <exception cref="ArgumentException">The text is no CoAP URI, or there is another context with the same IDs.</exception>
    public OscoreContexts Add(string uri, OscoreContext context)
    {
        CoapUri target = TargetOf(uri);
        Add(context);
        _byAuthority[OscoreAuthority.Of(target)] = context;
        return this;
    }

    /// <summary>Whether a context without an ID Context has a Recipient ID, so that no other one can get it (RFC 9668 section 3.3). What a
    /// <see cref="Resolver"/> knows and was not asked for yet does not count.</summary>
    /// <param name="id">The Recipient ID.</param>
    /// <returns>Whether one has it.</returns>
    public bool IsRecipient(ReadOnlyMemory<byte> id) => TryFindExactly(id.Span, hasIdContext: false, [], out _);

    /// <summary>
    /// Has requests of ours to a path be sent without protection, whatever the host: those by which keys are agreed upon, as a server that
    /// has lost its own could not read them otherwise.
    /// </summary>
    /// <param name="path">The path, such as <c>/.well-known/edhoc</c>.</param>
    /// <returns>These contexts.</returns>
    public OscoreContexts LeavePlain(string path)
    {
        ArgumentNullException.ThrowIfNull(path);
        CoapUri target = CoapUri.Parse($"coap://host/{path.TrimStart('/')}");
        string[][] paths;
        do
        {
            paths = Volatile.Read(ref _plainPaths);
        }
        while (!IsIn(paths, target)
            && Interlocked.CompareExchange(ref _plainPaths, [.. paths, [.. target.PathSegments]], paths) != paths);

        return this;
    }

    /// <summary>
    /// Has no request of ours leave to a host without protection, but those to the paths of <see cref="LeavePlain"/>: while there is no
    /// context for it, as before keys were agreed upon or after <see cref="Remove"/>, requests fail with a <see cref="CoapException"/>.
    /// </summary>
    /// <param name="uri">Scheme, host and port, as for <see cref="Add(string, OscoreContext)"/>.</param>
    /// <returns>These contexts.</returns>
    /// <exception cref="ArgumentException">The text is no CoAP URI.</exception>
    public OscoreContexts Require(string uri)
    {
        _required[OscoreAuthority.Of(TargetOf(uri))] = true;
        return this;
    }

    /// <summary>
    /// Takes a context out. Messages that are under way may still use it, and its keys stay until
    /// <see cref="OscoreContext.DisposeAsync"/>.
    /// </summary>
    /// <param name="context">The context.</param>
    /// <returns>Whether it was there.</returns>
    public bool Remove(OscoreContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        foreach (KeyValuePair<OscoreAuthority, OscoreContext> entry in _byAuthority)
        {
            if (ReferenceEquals(entry.Value, context))
            {
                _byAuthority.TryRemove(entry);
            }
        }

        OscoreRecipient recipient = OscoreRecipient.Of(context.Parameters);
        lock (_byKid)
        {
            bool wasThere = _byRecipient.TryRemove(new(recipient, context));
            if (wasThere && recipient.IdContext is not null)
            {
                LeaveKid(recipient.WithoutIdContext);
            }

            return wasThere;
        }
    }

    /// <summary>
    /// Takes a context out, and wipes its keys as soon as nothing is under way with it: requests without an answer, and observations, in
    /// either direction. Of a context whose numbers a store keeps <see cref="OscoreContext.DisposeAsync"/> is due all the same.
    /// </summary>
    /// <param name="context">The context, which no other contexts may have.</param>
    /// <returns>Whether it was there.</returns>
    public bool Retire(OscoreContext context)
    {
        bool wasThere = Remove(context);
        context.Retire();
        return wasThere;
    }

    /// <summary>Adds what a resolver gave, if it is what was asked for; one that was added meanwhile stays.</summary>
    internal bool TryAdd(OscoreContext context, OscoreRecipient recipient) =>
        recipient.HasKid(context.Parameters.RecipientId.Span)
        && TryInsert(OscoreRecipient.Of(context.Parameters), context);

    /// <exception cref="CoapException">There is none, and none of the host may leave without.</exception>
    internal OscoreContext? FindFor(CoapUri target)
    {
        if (_byAuthority.IsEmpty && _required.IsEmpty)
        {
            return null;
        }

        OscoreAuthority authority = OscoreAuthority.Of(target);
        bool isFound = _byAuthority.TryGetValue(authority, out OscoreContext? context);
        if ((!isFound && !_required.ContainsKey(authority)) || IsIn(Volatile.Read(ref _plainPaths), target))
        {
            return null;
        }

        return isFound ? context : throw new CoapException(
            $"There is no security context for {authority} yet, and no request may leave to it without OSCORE. Agree on keys first, such "
                + "as by EdhocClient.ConnectAsync, or add a context.");
    }

    // Without a kid context the ID alone decides, where only one context has it (RFC 8613 section 3.3).
    internal bool TryFind(
        ReadOnlySpan<byte> kid, bool hasIdContext, ReadOnlySpan<byte> idContext, [NotNullWhen(true)] out OscoreContext? context)
    {
        if (TryFindExactly(kid, hasIdContext, idContext, out context))
        {
            return true;
        }

        if (!hasIdContext
            && _byKid.GetAlternateLookup<OscoreRecipientName>().TryGetValue(
                new OscoreRecipientName(kid, hasIdContext: false, []), out SameKid same))
        {
            context = same.Only;
        }

        return context is not null;
    }

    /// <summary>Finds the context with an ID that derives its keys anew: its ID Context is that of a run.</summary>
    internal bool TryFindRederived(ReadOnlySpan<byte> kid, [NotNullWhen(true)] out OscoreContext? context) =>
        TryFindExactly(kid, hasIdContext: false, [], out context) && context.Rederivation is not null;

    private bool TryInsert(OscoreRecipient recipient, OscoreContext context)
    {
        lock (_byKid)
        {
            if (_byRecipient.TryGetValue(recipient, out OscoreContext? other))
            {
                return ReferenceEquals(other, context);
            }

            _byRecipient[recipient] = context;
            if (recipient.IdContext is not null)
            {
                int count = _byKid.GetValueOrDefault(recipient.WithoutIdContext).Count;
                _byKid[recipient.WithoutIdContext] = new SameKid(count == 0 ? context : null, count + 1);
            }

            return true;
        }
    }

    private void LeaveKid(OscoreRecipient kid)
    {
        int left = _byKid[kid].Count - 1;
        if (left == 0)
        {
            _byKid.TryRemove(kid, out _);
            return;
        }

        // Only who is the last but one is looked for.
        OscoreContext? only = left > 1 ? null
            : _byRecipient.First(entry => entry.Key.IdContext is not null && entry.Key.HasKid(kid.Kid.Span)).Value;
        _byKid[kid] = new SameKid(only, left);
    }

    private bool TryFindExactly(
        ReadOnlySpan<byte> kid, bool hasIdContext, ReadOnlySpan<byte> idContext, [NotNullWhen(true)] out OscoreContext? context) =>
        _byRecipient.GetAlternateLookup<OscoreRecipientName>()
            .TryGetValue(new OscoreRecipientName(kid, hasIdContext, idContext), out context);

    private static CoapUri TargetOf(string uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        return CoapUri.TryParse(uri, out CoapUri? target, out string? error) ? target : throw new ArgumentException(error, nameof(uri));
    }

    private static bool IsIn(string[][] paths, CoapUri target)
    {
        IReadOnlyList<string> segments = target.PathSegments;
        foreach (string[] path in paths)
        {
            bool isEqual = path.Length == segments.Count;
            for (int i = 0; isEqual && i < path.Length; i++)
            {
                isEqual = string.Equals(path[i], segments[i], StringComparison.Ordinal);
            }

            if (isEqual)
            {
                return true;
            }
        }

        return false;
    }

    /// <summary>The contexts that have one Recipient ID, in different ID Contexts.</summary>
    /// <param name="Only">The only one; null where there are more.</param>
    /// <param name="Count">How many there are.</param>
    private readonly record struct SameKid(OscoreContext? Only, int Count);
}
