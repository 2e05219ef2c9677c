using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Text;
using CoAP.NET.Cryptography;
using CoAP.NET.Diagnostics;
using CoAP.NET.ResourceDirectory.Fetching;
using CoAP.NET.ResourceDirectory.Index;
using CoAP.NET.ResourceDirectory.Lookups;
using CoAP.NET.ResourceDirectory.Observing;
using CoAP.NET.ResourceDirectory.Registrations;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.ResourceDirectory.Serving;

/// <summary>The common parts of a directory: the table, the index, limits and counters.</summary>
internal sealed class DirectoryServerState
{
    /// <summary>The default lifetime of registrations, in seconds (RFC 9176 section 5).</summary>
    public const uint DefaultLifetime = 90_000;

    private static readonly TimeSpan s_whenLoading = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_loadTimeout = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_whenOver = TimeSpan.FromSeconds(30);

    private readonly ILogger _logger;
    private ulong _node;
    private readonly List<ObservedLookups> _watches = [];
    private readonly Lock _startGate = new();
    private Task? _loading;
    private CoapReplicatedTable? _table;
    private volatile bool _isLoaded;

    public DirectoryServerState(CoapDirectoryOptions options)
    {
        Options = options;
        _logger = options.LoggerFactory?.CreateLogger("CoAP.NET.ResourceDirectory") ?? (ILogger)NullLogger.Instance;
        AttributeIndexHash ofTerms = new(options.Random.NextUInt64(), options.Random.NextUInt64());
        RegistrationQuota shares = new(options.Limits.MaxBytes / options.Limits.MaxRegistrations);
        Index = new DirectoryIndex(options.TimeProvider, ofTerms, Changes, shares);
        Room = new RegistrationEviction(this, _logger);
        Locations = new DirectoryLocations(options.Path);
        Lookups = new LookupExecutor(Index, Locations, new LookupLimits(
            options.Limits.MaxResults, options.Limits.MaxAnswerBytes, options.Limits.MaxScanned));
        Scans = new LookupScanner(Lookups, options);
        Fetches = new LinkFetches(options);
        Awaited = new ReadYourWritesDelay(Index, options.TimeProvider);
        Rules = new RegistrationTableRules(Index, Awaited);
        if (options.Unsecured != CoapUnsecuredRegistrations.Refused)
        {
            DirectoryLog.Unsecured(_logger, options.Unsecured);
        }
    }

    public CoapDirectoryOptions Options { get; }

    public DirectoryIndex Index { get; }

    public DirectoryChangeQueue Changes { get; } = new();

    /// <summary>Responses that wait until this node knows their change.</summary>
    public ReadYourWritesDelay Awaited { get; }

    public DirectoryLocations Locations { get; }

    public RegistrationTableRules Rules { get; }

    public EventCounter<DirectoryCounterKind> Counts { get; } = new();

    public RegistrationEviction Room { get; }

    public LinkFetches Fetches { get; }

    public LookupExecutor Lookups { get; }

    /// <summary>Executes lookups with many steps.</summary>
    public LookupScanner Scans { get; }

    /// <summary>The current number of observed lookups.</summary>
    public int Watched
    {
        get
        {
            lock (_watches)
            {
                return _watches.Sum(static one => one.Count);
            }
        }
    }

    public CoapReplicatedTable Table
    {
        get => _table ?? throw new InvalidOperationException("The directory has no table yet.");
        set
        {
            _table = value;

            // Link-local addresses of two hosts differ, so the node is part of their hash.
            Span<byte> hash = stackalloc byte[Sha256.HashLength];
            Sha256.HashData(Encoding.UTF8.GetBytes(value.Node), hash);
            _node = BinaryPrimitives.ReadUInt64LittleEndian(hash);
        }
    }

    /// <summary>Whether all stored registrations are loaded.</summary>
    public bool IsLoaded => _isLoaded;

    /// <summary>Loads the stored registrations.</summary>
    public Task StartAsync(CancellationToken cancellationToken)
    {
        lock (_startGate)
        {
            if (_loading is null or { IsFaulted: true })
            {
                _loading = LoadAsync();
            }

            return _loading.WaitAsync(cancellationToken);
        }
    }

    /// <summary>Waits until all stored registrations are loaded.</summary>
    /// <returns>A task that completes then; a completed one if loading has not started.</returns>
    public Task WaitUntilLoadedAsync(CancellationToken cancellationToken)
    {
        lock (_startGate)
        {
            return (_loading ?? Task.CompletedTask).WaitAsync(cancellationToken);
        }
    }

    /// <summary>Returns the response to lookups until all registrations are loaded.</summary>
    public CoapResult Loading()
    {
        Counts.Add(DirectoryCounterKind.Unavailable);
        return CoapResults.ServiceUnavailable(s_whenLoading);
    }

    /// <summary>Loads before a server listens: clients retransmit unanswered requests for longer than this waits.</summary>
    public async Task StartPatientlyAsync(CancellationToken cancellationToken)
    {
        Task loading = StartAsync(cancellationToken);
        try
        {
            await loading.WaitAsync(s_loadTimeout, Options.TimeProvider, cancellationToken).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            DirectoryLog.NotLoaded(_logger, s_loadTimeout);
        }
    }

    /// <summary>Creates the watches of another server.</summary>
    public ObservedLookups AddWatches()
    {
        ObservedLookups watches = new(this, Lookups);
        lock (_watches)
        {
            _watches.Add(watches);
        }

        return watches;
    }

    public ValueTask DisposeAsync()
    {
        lock (_watches)
        {
            _watches.ForEach(static one => one.Dispose());
        }

        Fetches.Dispose();
        return Table.DisposeAsync();
    }

    public RegistrantIdentity RegistrantOf(CoapRequestContext request) =>
        RegistrantIdentity.Of(request.Peer, request.Channel, Options.IdentityOf, _node);

    /// <summary>Returns the network link of a request's sender; 0 for an unknown one.</summary>
    public ulong LinkTagOf(CoapRequestContext request) => RegistrantIdentity.LinkTagOf(request.Peer.Address, _node);

    public CoapTableKey KeyOf(ReadOnlySpan<byte> sector, ReadOnlySpan<byte> endpoint)
    {
        // Names contain no zero byte.
        Span<byte> name = stackalloc byte[sector.Length + 1 + endpoint.Length];
        sector.CopyTo(name);
        name[sector.Length] = 0;
        endpoint.CopyTo(name[(sector.Length + 1)..]);
        return new CoapTableKey(Table.KeyOf(name).Bytes[..DirectoryIndex.KeyLength]);
    }

    public string LocationOf(CoapTableKey key) => $"{Options.Path}/{DirectoryLocations.IdOf(key.Bytes)}";

    public int CountTerms(Registration registration) => Index.CountTerms(registration);

    /// <summary>
    /// Returns the maximum age of a request in milliseconds; null if unknown. The deciding node counts with its own clock, which may be
    /// ahead. Echo values have whole milliseconds, rounded down; one from the response to a change therefore seems up to a millisecond
    /// older than the change.
    /// </summary>
    public static long? AgeOf(CoapRequestContext request) => request.EchoAge is { } age ? (long)age.TotalMilliseconds - 1 : null;

    /// <summary>Counts and logs a refusal.</summary>
    public CoapResult Refused(CoapRequestContext request, DirectoryRefusal refusal)
    {
        Counts.Add(DirectoryCounterKind.Refusals);
        if (_logger.IsEnabled(LogLevel.Debug))
        {
            DirectoryLog.Refused(_logger, request.Peer.ToString(), refusal.Code, refusal.Text);
        }

        return refusal.ToResult();
    }

    /// <summary>Makes the key of a registration.</summary>
    /// <returns>False, with the response for the client, if this node does not know yet how keys are made.</returns>
    public bool TryMakeKey(
        in Registration made, RegistrantIdentity registrant, out CoapTableKey key, [NotNullWhen(false)] out CoapResult? unavailable)
    {
        try
        {
            (key, unavailable) = (KeyOf(made.Sector, made.Endpoint), null);
            return true;
        }
        catch (CoapTableUnavailableException exception)
        {
            (key, unavailable) = (default, UnavailableTo(registrant, exception));
            return false;
        }
    }

    /// <summary>Asks the deciding node.</summary>
    /// <returns>Its answer, or the response for the client if there is none.</returns>
    public async ValueTask<(DirectoryDecision Answer, CoapResult? Unavailable)> AskAsync(
        CoapTableKey key, DirectorySlotOwnerRequest.Operation what,
        RegistrantIdentity? registrant, long? age, ReadOnlyMemory<byte> content, CancellationToken cancellationToken)
    {
        DirectorySlotOwnerRequest.ClientRights rights =
            (Options.Unsecured == CoapUnsecuredRegistrations.Anyone ? DirectorySlotOwnerRequest.ClientRights.IsAnyone : 0)
            | (Options.RequireFreshness && registrant is { IsSecured: false } ? DirectorySlotOwnerRequest.ClientRights.MustBeFresh : 0);
        byte[] question = DirectorySlotOwnerRequest.Make(what, rights, registrant?.Owner ?? default, age, content.Span);
        try
        {
            ReadOnlyMemory<byte> reply = await Table.RequestAsync(key, question, cancellationToken).ConfigureAwait(false);
            await Awaited.WaitForUpdateAsync(key, what, reply, cancellationToken).ConfigureAwait(false);
            return (reply.IsEmpty ? DirectoryDecision.Unreadable : (DirectoryDecision)reply.Span[0], null);
        }
        catch (Exception exception) when (exception is CoapException or ObjectDisposedException)
        {
            return (DirectoryDecision.Unreadable, UnavailableTo(registrant, exception));
        }
    }

    private CoapResult UnavailableTo(RegistrantIdentity? registrant, Exception exception)
    {
        TimeSpan wait = (exception as CoapTableUnavailableException)?.RetryAfter ?? s_whenOver;
        Counts.Add(DirectoryCounterKind.Unavailable);
        DirectoryLog.Unavailable(_logger, exception, registrant?.Owner.ToString() ?? "no client", wait);
        return CoapResults.ServiceUnavailable(wait);
    }

    private async Task LoadAsync()
    {
        long start = Options.TimeProvider.GetTimestamp();
        await Table.StartAsync(CancellationToken.None).ConfigureAwait(false);
        _isLoaded = true;
        if (Index.Quota.Count is > 0 and int count)
        {
            DirectoryLog.Loaded(_logger, count, Options.TimeProvider.GetElapsedTime(start));
        }
    }
}
