using System.Collections.Concurrent;
using System.Diagnostics.CodeAnalysis;
using CoAP.NET.Diagnostics;
using CoAP.NET.Oscore.Endpoints;
using CoAP.NET.Oscore.Telemetry;

namespace CoAP.NET.Oscore;

/// <summary>
/// The security contexts of an endpoint: by <c>kid</c> and ID Context for received requests, and by host and port for sent ones.
/// </summary>
/// <remarks>You may change it while the endpoint runs. Thread-safe.</remarks>
public sealed class OscoreContexts
{
    private readonly ConcurrentDictionary<OscoreContextLookupKey, OscoreContext> _byRecipient = new(new OscoreRecipientComparer());

    // The contexts with an ID Context, by kid alone, because a request may omit the ID Context. Changed under the lock of this dictionary.
    private readonly ConcurrentDictionary<OscoreContextLookupKey, ContextsOfRecipientId> _byKid = new(new OscoreRecipientComparer());
    private readonly ConcurrentDictionary<OscoreServerOrigin, OscoreContext> _byAuthority = [];
    private readonly ConcurrentDictionary<OscoreServerOrigin, bool> _required = [];

    // The paths of one or two key exchanges. Replaced as a whole, so that each request compares without a lock.
    private string[][] _plainPaths = [];

    /// <summary>Finds contexts that are not here yet, for servers of many devices; null, the default, for none.</summary>
    public IOscoreContextResolver? Resolver { get; init; }

    /// <summary>The timeout of <see cref="Resolver"/>.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    /// <remarks>Default 10 seconds; more than zero, at most an hour.</remarks>
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

    /// <summary>Processes requests that carry the last message of a key exchange, such as EDHOC's (RFC 9668).</summary>
    /// <exception cref="InvalidOperationException">Another key exchange is already set.</exception>
    /// <remarks>Default null: the endpoint refuses such requests. You may set it while the endpoint runs.</remarks>
    internal OscoreCombinedRequestServer? KeyExchange
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
    /// Maximum payload in bytes of a protected message that a proxy split into blocks, in both directions: MAX_UNFRAGMENTED_SIZE (RFC 8613
    /// section 4.1.3.4.2).
    /// </summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of its range.</exception>
    /// <remarks>
    /// The endpoint refuses larger ones. Default 65,536; 0, for no such messages, to 16 MiB. Unverified blocks count towards
    /// <see cref="CoapBlockwiseLimits.RequestMemory"/>, with a share per source.
    /// </remarks>
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

    /// <summary>
    /// Limits of the memory and work that unauthenticated peers can cause. Set them before an endpoint uses these contexts.
    /// </summary>
    public OscoreLimits Limits { get; init; } = new();

    /// <summary>Number of contexts for received requests.</summary>
    internal int Count => _byRecipient.Count;

    internal EventCounter<OscoreMetric> Counts { get; } = new();

    /// <summary>Returns the counters of all endpoints that use these contexts.</summary>
    /// <returns>The current values.</returns>
    internal OscoreCounters GetCounters() => OscoreCounters.Of(Counts);

    /// <summary>Adds a context for received requests.</summary>
    /// <param name="context">The context.</param>
    /// <returns>This instance.</returns>
    /// <exception cref="ArgumentException">Another context has the same Recipient ID and ID Context.</exception>
    public OscoreContexts Add(OscoreContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        OscoreContextLookupKey recipient = OscoreContextLookupKey.Of(context.Parameters);
        if (!TryInsert(recipient, context))
        {
            throw new ArgumentException(
                $"Another security context has the IDs {recipient}, so requests would be ambiguous. Give one of the two another Recipient "
                    + "ID or an ID Context.",
                nameof(context));
        }

        return this;
    }

    /// <summary>Protects requests to a host, and accepts protected requests from it.</summary>
    /// <param name="uri">
    /// Scheme, host and port, such as <c>coap://[2001:db8::1]/</c>; the path has no meaning. For a server behind a proxy, the server's own.
    /// </param>
    /// <param name="context">The context.</param>
    /// <returns>This instance.</returns>
    /// <exception cref="ArgumentException">It is not an absolute CoAP URI, or another context has the same IDs.</exception>
    /// <remarks><see cref="Add(OscoreContext)"/> is not necessary.</remarks>
    public OscoreContexts Add(CoapUri uri, OscoreContext context)
    {
        CoapUri target = TargetOf(uri);
        Add(context);
        _byAuthority[OscoreServerOrigin.Of(target)] = context;
        return this;
    }

    /// <inheritdoc cref="Add(CoapUri, OscoreContext)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public OscoreContexts Add(string uri, OscoreContext context) => Add(CoapUri.FromString(uri), context);

    /// <summary>Whether a context uses a Recipient ID, which is then not free for a new context (RFC 9668 section 4.1).</summary>
    /// <returns>True if a context uses it, in any ID Context or without one.</returns>
    /// <remarks>
    /// A request may omit its ID Context. A new context with the same Recipient ID would then take its requests. Contexts that a
    /// <see cref="Resolver"/> has not returned yet do not count.
    /// </remarks>
    internal bool IsRecipient(ReadOnlyMemory<byte> id) =>
        TryFindExactly(id.Span, hasIdContext: false, [], out _)
        || _byKid.GetAlternateLookup<OscoreRecipientName>().ContainsKey(new OscoreRecipientName(id.Span, hasIdContext: false, []));

    /// <summary>Sends requests to a path without protection, to any host.</summary>
    /// <param name="path">The path, such as <c>/.well-known/edhoc</c>.</param>
    /// <returns>This instance.</returns>
    /// <remarks>For the requests of a key exchange, because a server that has lost its keys could not read protected ones.</remarks>
    internal OscoreContexts LeavePlain(string path)
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

    /// <summary>Forbids unprotected requests to a host.</summary>
    /// <param name="uri">Scheme, host and port, as for <see cref="Add(CoapUri, OscoreContext)"/>.</param>
    /// <returns>This instance.</returns>
    /// <exception cref="ArgumentException">It is not an absolute CoAP URI.</exception>
    /// <remarks>
    /// Without a context for the host, as before a key exchange or after <see cref="Remove"/>, requests fail with a
    /// <see cref="CoapException"/>.
    /// </remarks>
    public OscoreContexts Require(CoapUri uri)
    {
        _required[OscoreServerOrigin.Of(TargetOf(uri))] = true;
        return this;
    }

    /// <inheritdoc cref="Require(CoapUri)"/>
    /// <exception cref="CoapFormatException">The text is not a URI.</exception>
    public OscoreContexts Require(string uri) => Require(CoapUri.FromString(uri));

    /// <summary>Removes a context.</summary>
    /// <param name="context">The context.</param>
    /// <returns>True if it was there.</returns>
    /// <remarks>Pending messages may still use it, and its keys stay until <see cref="OscoreContext.DisposeAsync"/>.</remarks>
    public bool Remove(OscoreContext context)
    {
        ArgumentNullException.ThrowIfNull(context);
        foreach (KeyValuePair<OscoreServerOrigin, OscoreContext> entry in _byAuthority)
        {
            if (ReferenceEquals(entry.Value, context))
            {
                _byAuthority.TryRemove(entry);
            }
        }

        OscoreContextLookupKey recipient = OscoreContextLookupKey.Of(context.Parameters);
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

    /// <summary>Removes a context, and wipes its keys as soon as it has no pending exchange.</summary>
    /// <param name="context">The context, which no other instance may contain.</param>
    /// <returns>True if it was there.</returns>
    /// <remarks>
    /// Pending exchanges are requests without a response, and observations, in either direction. A context whose numbers a store keeps
    /// still needs <see cref="OscoreContext.DisposeAsync"/>.
    /// </remarks>
    public bool RemoveAndWipe(OscoreContext context)
    {
        bool wasThere = Remove(context);
        context.Deactivate();
        return wasThere;
    }

    /// <summary>Adds a resolver's result if it matches the requested ID; a context added in the meantime stays.</summary>
    internal bool TryAdd(OscoreContext context, OscoreContextLookupKey recipient) =>
        recipient.HasKid(context.Parameters.RecipientId.Span)
        && TryInsert(OscoreContextLookupKey.Of(context.Parameters), context);

    /// <exception cref="CoapException">There is none, and no request may leave to the host without one.</exception>
    internal OscoreContext? FindFor(CoapUri target)
    {
        if (_byAuthority.IsEmpty && _required.IsEmpty)
        {
            return null;
        }

        OscoreServerOrigin authority = OscoreServerOrigin.Of(target);
        bool isFound = _byAuthority.TryGetValue(authority, out OscoreContext? context);
        if ((!isFound && !_required.ContainsKey(authority)) || IsIn(Volatile.Read(ref _plainPaths), target))
        {
            return null;
        }

        return isFound ? context : throw new CoapException(
            $"There is no security context for {authority} yet, and requests to it must use OSCORE. Agree on keys first, such as by "
                + "EdhocClient.ConnectAsync, or add a context.");
    }

    // Without a kid context the ID alone decides, if only one context has it (RFC 8613 section 3.3).
    internal bool TryFind(
        ReadOnlySpan<byte> kid, bool hasIdContext, ReadOnlySpan<byte> idContext, [NotNullWhen(true)] out OscoreContext? context)
    {
        if (TryFindExactly(kid, hasIdContext, idContext, out context))
        {
            return true;
        }

        if (!hasIdContext
            && _byKid.GetAlternateLookup<OscoreRecipientName>().TryGetValue(
                new OscoreRecipientName(kid, hasIdContext: false, []), out ContextsOfRecipientId same))
        {
            context = same.Only;
        }

        return context is not null;
    }

    /// <summary>Finds the context with an ID that derives new keys for each run: the ID Context belongs to the run.</summary>
    internal bool TryFindRederived(ReadOnlySpan<byte> kid, [NotNullWhen(true)] out OscoreContext? context) =>
        TryFindExactly(kid, hasIdContext: false, [], out context) && context.Rederivation is not null;

    private bool TryInsert(OscoreContextLookupKey recipient, OscoreContext context)
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
                _byKid[recipient.WithoutIdContext] = new ContextsOfRecipientId(count == 0 ? context : null, count + 1);
            }

            return true;
        }
    }

    private void LeaveKid(OscoreContextLookupKey kid)
    {
        int left = _byKid[kid].Count - 1;
        if (left == 0)
        {
            _byKid.TryRemove(kid, out _);
            return;
        }

        // The search is necessary only when two contexts become one.
        OscoreContext? only = left > 1 ? null
            : _byRecipient.First(entry => entry.Key.IdContext is not null && entry.Key.HasKid(kid.Kid.Span)).Value;
        _byKid[kid] = new ContextsOfRecipientId(only, left);
    }

    private bool TryFindExactly(
        ReadOnlySpan<byte> kid, bool hasIdContext, ReadOnlySpan<byte> idContext, [NotNullWhen(true)] out OscoreContext? context) =>
        _byRecipient.GetAlternateLookup<OscoreRecipientName>()
            .TryGetValue(new OscoreRecipientName(kid, hasIdContext, idContext), out context);

    private static CoapUri TargetOf(CoapUri uri)
    {
        ArgumentNullException.ThrowIfNull(uri);
        CoapUri.RequireCoap(uri, nameof(uri));
        return uri;
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
    /// <param name="Only">The only one; null if there are more.</param>
    /// <param name="Count">Number of contexts.</param>
    private readonly record struct ContextsOfRecipientId(OscoreContext? Only, int Count);
}

/// <summary>Scheme, host and port of a server, comparable without creating a text.</summary>
/// <param name="Scheme">The scheme, in lower case.</param>
/// <param name="Host">The host; upper and lower case are equal.</param>
/// <param name="Port">The port.</param>
internal readonly record struct OscoreServerOrigin(string Scheme, string Host, int Port)
{
    public static OscoreServerOrigin Of(CoapUri uri) => new(uri.Scheme, uri.Host, uri.Port);

    public bool Equals(OscoreServerOrigin other) =>
        Port == other.Port
        && string.Equals(Scheme, other.Scheme, StringComparison.Ordinal)
        && string.Equals(Host, other.Host, StringComparison.OrdinalIgnoreCase);

    public override int GetHashCode() =>
        HashCode.Combine(
            string.GetHashCode(Scheme, StringComparison.Ordinal), string.GetHashCode(Host, StringComparison.OrdinalIgnoreCase), Port);

    public override string ToString() => $"{Scheme}://{Host}:{Port}";
}

/// <summary>Compares the keys of security contexts with bytes in a message, without copying them.</summary>
internal sealed class OscoreRecipientComparer
    : IEqualityComparer<OscoreContextLookupKey>, IAlternateEqualityComparer<OscoreRecipientName, OscoreContextLookupKey>
{
    public bool Equals(OscoreContextLookupKey x, OscoreContextLookupKey y) => x.Equals(y);

    public int GetHashCode(OscoreContextLookupKey obj) => obj.GetHashCode();

    public bool Equals(OscoreRecipientName alternate, OscoreContextLookupKey other) => alternate.Is(other);

    public int GetHashCode(OscoreRecipientName alternate) => alternate.Hash();

    public OscoreContextLookupKey Create(OscoreRecipientName alternate) => alternate.ToRecipient();
}
