using System.Buffers.Binary;
using System.Security.Cryptography;
using CoAP.NET.Cluster;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace CoAP.NET.ResourceDirectory;

/// <summary>What all parts of a directory use: the table, the index, bounds and counts.</summary>
internal sealed class DirectoryCore
{
    /// <summary>The lifetime of registrations that ask for none, in seconds (RFC 9176 section 5).</summary>
    public const uint DefaultLifetime = 90_000;

    private readonly ILogger _logger;
    private readonly ulong _node;
    private readonly List<DirectoryWatches> _watches = [];
    private CoapTable? _table;

    public DirectoryCore(CoapDirectoryOptions options, ReadOnlySpan<byte> node)
    {
        Options = options;
        _logger = options.LoggerFactory?.CreateLogger("CoAP.NET.ResourceDirectory") ?? (ILogger)NullLogger.Instance;
        KeyedHash ofTerms = new(options.Random.NextUInt64(), options.Random.NextUInt64());
        DirectoryShares shares = new(options.MaxBytes / options.MaxRegistrations);
        Index = new DirectoryIndex(options.TimeProvider, ofTerms, Changes, shares);
        Room = new DirectoryRoom(this, _logger);
        Locations = new DirectoryLocations(options.Path);
        LookUps = new LookUpRun(Index, Locations, new LookUpBounds(options.MaxResults, options.MaxAnswerBytes, options.MaxScanned));
        Fetches = new LinkFetches(options);
        Rules = new DirectoryRules(Index);
        Span<byte> hash = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(node, hash);
        _node = BinaryPrimitives.ReadUInt64LittleEndian(hash);
        if (options.Unsecured != CoapUnsecuredRegistrations.Refused)
        {
            DirectoryLog.Unsecured(_logger, options.Unsecured);
        }
    }

    public CoapDirectoryOptions Options { get; }

    public DirectoryIndex Index { get; }

    public DirectoryChanges Changes { get; } = new();

    public DirectoryLocations Locations { get; }

    public DirectoryRules Rules { get; }

    public DirectoryCounts Counts { get; } = new();

    /// <summary>Finds room for registrations.</summary>
    public DirectoryRoom Room { get; }

    /// <summary>Fetches links of registrants.</summary>
    public LinkFetches Fetches { get; }

    /// <summary>Carries look-ups out.</summary>
    public LookUpRun LookUps { get; }

    /// <summary>How many look-ups are observed.</summary>
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

    /// <summary>Where the registrations are kept.</summary>
    public CoapTable Table
    {
        get => _table ?? throw new InvalidOperationException("The directory has no table yet.");
        set => _table = value;
    }

    /// <summary>Makes what tells the observers of one more server.</summary>
    public DirectoryWatches AddWatches()
    {
        DirectoryWatches watches = new(this, LookUps);
        lock (_watches)
        {
            _watches.Add(watches);
        }

        return watches;
    }

    /// <summary>Ends it.</summary>
    public ValueTask DisposeAsync()
    {
        lock (_watches)
        {
            _watches.ForEach(static one => one.Dispose());
        }

        Fetches.Dispose();
        return Table.DisposeAsync();
    }

    /// <summary>Who sent a request.</summary>
    public Registrant RegistrantOf(CoapRequest request) => Registrant.Of(request.Peer, request.Channel!, Options.IdentityOf, _node);

    /// <summary>The link that the sender of a request is on; 0 where that is not known.</summary>
    public ulong LinkTagOf(CoapRequest request) => Registrant.LinkTagOf(request.Peer.Address, _node);

    /// <summary>The key of a name.</summary>
    public CoapTableKey KeyOf(ReadOnlySpan<byte> sector, ReadOnlySpan<byte> endpoint)
    {
        // No name has a zero byte.
        Span<byte> name = stackalloc byte[sector.Length + 1 + endpoint.Length];
        sector.CopyTo(name);
        name[sector.Length] = 0;
        endpoint.CopyTo(name[(sector.Length + 1)..]);
        return new CoapTableKey(Table.KeyOf(name).Bytes[..DirectoryIndex.KeyLength]);
    }

    /// <summary>The location of a registration.</summary>
    public string LocationOf(CoapTableKey key) => $"{Options.Path}/{DirectoryLocations.IdOf(key.Bytes)}";

    /// <summary>How many terms a registration would have in the index.</summary>
    public int CountTerms(Registration registration) => Index.CountTerms(registration);

    /// <summary>
    /// When a request was made at the earliest, in milliseconds since 1970; 0 when nothing tells. Values of Echo are made in whole
    /// milliseconds, rounded down, so one that came with the answer to a change seems up to one older than the change.
    /// </summary>
    public long MadeAt(CoapRequest request) => request.EchoAge is { } age
        ? (Options.TimeProvider.GetUtcNow() - age).ToUnixTimeMilliseconds() + 1
        : 0;

    /// <summary>Counts and logs a refusal.</summary>
    public CoapResult Refused(CoapRequest request, DirectoryRefusal refusal)
    {
        Counts.Add(DirectoryCount.Refusals);
        if (_logger.IsEnabled(LogLevel.Debug))
        {
            DirectoryLog.Refused(_logger, request.Peer.ToString(), refusal.Code, refusal.Text);
        }

        return refusal.ToResult();
    }

    /// <summary>Asks the node that decides.</summary>
    /// <returns>Its answer, or the answer to the client when there is none.</returns>
    public async ValueTask<(DirectoryAnswer Answer, CoapResult? Unavailable)> AskAsync(CoapTableKey key, DirectoryQuestion.Verb what,
        Registrant? registrant, long madeAt, ReadOnlyMemory<byte> content, CancellationToken cancellationToken)
    {
        DirectoryQuestion.Rights rights =
            (Options.Unsecured == CoapUnsecuredRegistrations.Anyone ? DirectoryQuestion.Rights.IsAnyone : 0)
            | (Options.RequireFreshness && registrant is { IsSecured: false } ? DirectoryQuestion.Rights.MustBeFresh : 0);
        byte[] question = DirectoryQuestion.Make(what, rights, registrant?.Owner ?? default, madeAt, content.Span);
        try
        {
            ReadOnlyMemory<byte> reply = await Table.AskAsync(key, question, cancellationToken).ConfigureAwait(false);
            return (reply.IsEmpty ? DirectoryAnswer.Unreadable : (DirectoryAnswer)reply.Span[0], null);
        }
        catch (CoapTableUnavailableException exception)
        {
            DirectoryLog.Unavailable(_logger, exception, registrant?.Owner.ToString() ?? "nobody", exception.RetryAfter);
            return (DirectoryAnswer.Unreadable, CoapResults.ServiceUnavailable(exception.RetryAfter));
        }
    }
}
